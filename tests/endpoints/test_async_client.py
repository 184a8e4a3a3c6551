"""The async Python client against the real web server, and against one that loses its answers."""

import asyncio
import runpy
from pathlib import Path

import pytest
from django.conf import settings

from accounts.models import Space
from ebb_client import (
    Busy,
    Forbidden,
    InvalidArguments,
    NotFound,
    RateLimited,
    Unauthorized,
    Unreachable,
)
from ebb_client.async_client import AsyncEbb
from memory.models import Memory
from tests.conftest import MakeKey
from tests.endpoints.test_client import losing
from tests.processes import Web

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

FOLDER: Path = settings.BASE_DIR / "clients" / "python"


def test_async_client_is_what_the_sync_one_makes_it() -> None:
    async_source = runpy.run_path(str(FOLDER / "make_async.py"))["async_source"]
    package = FOLDER / "ebb_client"

    made = async_source((package / "client.py").read_text("utf-8"))

    assert made == (package / "async_client.py").read_text("utf-8"), (
        "run: python clients/python/make_async.py"
    )


def test_memories_are_saved_found_listed_and_restored(web: Web, key: MakeKey, space: Space) -> None:
    secret = key()

    async def run() -> None:
        async with AsyncEbb(web.url, secret) as ebb:
            pizza = await ebb.remember("User likes pizza", tags=["food"])
            await ebb.remember_all([{"content": f"User counted {n} sheep"} for n in range(201)])

            [found] = (await ebb.search("What food does the user like?", limit=1))["results"]
            assert found["memory"]["id"] == pizza["id"]
            assert "User likes pizza" in (await ebb.recall("What do I like to eat?"))["text"]
            listed = [memory["content"] async for memory in ebb.memories()]
            assert len(set(listed)) == len(listed) == 202

            await ebb.revise(pizza["id"], content="User likes pasta")
            earlier = [one["content"] for one in await ebb.revisions(pizza["id"])]
            assert earlier == ["User likes pasta", "User likes pizza"]
            await ebb.forget(pizza["id"])
            assert [memory["status"] for memory in await ebb.restore(pizza["id"])] == ["live"]
            assert "remember" in [spec["function"]["name"] for spec in await ebb.tools()]

    asyncio.run(run())


def test_a_reply_is_streamed(web: Web, key: MakeKey, space: Space) -> None:
    secret = key()

    async def run() -> None:
        async with AsyncEbb(web.url, secret) as ebb:
            recalled, *tokens, done = [event async for event in ebb.stream_chat("Hello")]
            assert (recalled.name, done.name) == ("recalled", "done")
            assert "".join(token.data["text"] for token in tokens) == done.data["reply"]
            with pytest.raises(InvalidArguments):
                [event async for event in ebb.stream_chat("")]

    asyncio.run(run())


def test_errors_are_exceptions_by_their_code(web: Web, key: MakeKey, space: Space) -> None:
    reading = key(scopes=["read"])

    async def run() -> None:
        async with AsyncEbb(web.url, reading) as ebb:
            with pytest.raises(InvalidArguments) as invalid:
                await ebb.search("")
            assert invalid.value.errors[0]["field"] == "query"
            with pytest.raises(NotFound):
                await ebb.memory("00000000-0000-4000-8000-000000000000")
            with pytest.raises(Forbidden):
                await ebb.remember("User likes pizza")
        async with AsyncEbb(web.url, "ebb_wrong") as stranger:
            with pytest.raises(Unauthorized):
                await stranger.policy()
        with pytest.raises(ValueError, match="not an http or https URL"):
            AsyncEbb("file:///etc", "ebb_wrong")

    asyncio.run(run())


def test_a_client_for_each_user_keeps_them_apart(web: Web, key: MakeKey, space: Space) -> None:
    secret = key()

    async def run() -> None:
        async with AsyncEbb(web.url, secret) as everybody:
            ana, rui = (everybody.for_user(name) for name in ("Ana 安娜", "rui"))
            await ana.remember("User likes pizza")

            assert [memory["user_id"] async for memory in ana.memories()] == ["Ana 安娜"]
            assert [memory async for memory in rui.memories()] == []
            assert (ana.user_id, everybody.user_id) == ("Ana 安娜", None)

    asyncio.run(run())


def test_what_may_be_sent_twice_is_and_is_done_once(web: Web, key: MakeKey, space: Space) -> None:
    secret = key()

    async def remember(url: str, content: str, retries: int = 2) -> None:
        async with AsyncEbb(url, secret, retries=retries) as ebb:
            await ebb.remember(content)

    async def call(url: str, name: str, arguments: dict[str, str]) -> None:
        async with AsyncEbb(url, secret) as ebb:
            await ebb.call_tool(name, arguments)

    with losing(web, 0, 429) as url:
        asyncio.run(remember(url, "User likes pizza"))
    with losing(web, 429) as url:
        asyncio.run(call(url, "search_memories", {"query": "pizza"}))
    with losing(web, 0) as url, pytest.raises(Unreachable) as lost:
        asyncio.run(call(url, "remember", {"content": "User likes tea"}))
    assert lost.value.sent
    with losing(web, 429, 429) as url, pytest.raises(RateLimited) as limited:
        asyncio.run(remember(url, "User likes cake", retries=1))
    assert limited.value.retry_after == 0
    with pytest.raises(Unreachable) as nobody:
        asyncio.run(remember(url, "User likes cake", retries=1))
    assert not nobody.value.sent
    assert sorted(Memory.objects.values_list("content", flat=True)) == [
        "User likes pizza", "User likes tea",
    ]  # fmt: skip


def test_a_busy_database_is_asked_again(web: Web, key: MakeKey, space: Space) -> None:
    secret = key()

    async def search(url: str, retries: int) -> int:
        async with AsyncEbb(url, secret, retries=retries) as ebb:
            return len((await ebb.search("pizza"))["results"])

    with losing(web, 503) as url:
        assert asyncio.run(search(url, retries=1)) == 0
    with losing(web, 503) as url, pytest.raises(Busy):
        asyncio.run(search(url, retries=0))
