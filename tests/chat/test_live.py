"""A reply for pages: one writer, and any number of readers who come and go."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import aclosing
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from assessor.llm import model_session
from chat import live
from chat.models import Message
from chat.replies import Token
from chat.services.replies import stop_pending
from chat.services.turns import begin_turn
from chat.views.replies import _fragments
from memory.connections import in_thread
from memory.errors import Conflict
from memory.models import Space
from tests.processes import wait_until
from tests.stub_model import StubModel
from tests.stub_wire import TOKEN

pytestmark = pytest.mark.django_db(transaction=True)

WHOLE = "You said: I like tea"


@pytest.fixture
def ask(space: Space, settings: Settings, stub_model: StubModel) -> "Ask":
    """Makes replies that wait to be written by the stub model."""
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "key", stub_model.base_url
    settings.EBB_CHAT_MODEL = "stub"

    def make(text: str = "I like tea") -> Message:
        begun = begin_turn(space=space, text=text, now=timezone.now(), memory="off")
        rows = Message.objects.select_related("conversation__space__embedder", "space__embedder")
        return rows.get(pk=begun.pk)

    return make


@pytest.fixture
def play(stub_model: StubModel) -> Callable[[Coroutine[Any, Any, None]], None]:
    """Plays a scene in a loop of its own. When it ends, no task and no request is left of it."""

    async def whole(scene: Coroutine[Any, Any, None]) -> None:
        async with model_session(base_url=stub_model.base_url, api_key="key", model="stub"):
            await scene
            await until(lambda: not live._LIVE)
            await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})

    def run(scene: Coroutine[Any, Any, None]) -> None:
        asyncio.run(whole(scene))
        wait_until(lambda: stub_model.control.active_replies == 0, what="the end of all requests")

    return run


Play = Callable[[Coroutine[Any, Any, None]], None]
Ask = Callable[..., Message]


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


def followed(message: Message) -> live.LiveReply:
    found = live.follow(message, may_begin=True)
    assert found is not None
    return found


async def read(message: Message, tokens: int = 1000) -> str:
    """The text that a reader sees who leaves after so many tokens, or a few more."""
    seen = ""
    async with aclosing(followed(message).read()) as news:
        async for happened in news:
            seen += "".join(one.text for one in happened if isinstance(one, Token))
            if len(TOKEN.findall(seen)) >= tokens:
                break
    return seen


async def stored(message: Message) -> tuple[str, str]:
    await in_thread(message.refresh_from_db, fields=["state", "content"])
    return message.state, message.content


async def drawn(message: Message, *, may_begin: bool = True) -> AsyncIterator[tuple[str, str]]:
    """The events of a page as they come, each with its data."""
    async for piece in _fragments(message, may_begin=may_begin):
        name, _, data = piece.decode().removeprefix("event: ").partition("\n")
        yield name, data.replace("data: ", "").strip("\n")


async def page(message: Message, *, may_begin: bool = True) -> list[tuple[str, str]]:
    """All events of a page, each with its data."""
    return [event async for event in drawn(message, may_begin=may_begin)]


def test_who_comes_back_reads_from_the_first_token_on(
    ask: Ask, stub_model: StubModel, play: Play
) -> None:
    stub_model.script("hold:1")
    message = ask()

    async def scene() -> None:
        assert await read(message, tokens=1) == "You"
        reading = asyncio.gather(read(message), read(message, tokens=2), read(message))
        await until(lambda: followed(message)._readers == 3)
        stub_model.release()
        first, left, last = await reading
        assert (first, last) == (WHOLE, WHOLE)
        assert WHOLE.startswith(left)
        assert await stored(message) == ("done", WHOLE)

    play(scene())
    assert len(stub_model.requests) == 1


def test_a_reply_that_the_models_limit_ended_says_so(
    ask: Ask, stub_model: StubModel, play: Play
) -> None:
    stub_model.script("length:3", "length:0", "ok")
    cut, empty, whole = ask(), ask(), ask()
    said = "The reply ends here: the model reached its length limit."

    async def scene() -> None:
        for message, expected in ((cut, True), (empty, True), (whole, False)):
            done = (await page(message))[-1][1]
            assert (said in done, "returned an empty reply" in done) == (expected, False)
        assert await stored(cut) == ("done", "You said: I")

    play(scene())


def test_a_page_that_connects_again_replaces_what_it_has(
    ask: Ask, stub_model: StubModel, play: Play
) -> None:
    stub_model.script("stall:3")
    message = ask()

    async def scene() -> None:
        assert await read(message, tokens=3) == "You said: I"  # and then the model stalls
        watching = asyncio.create_task(page(message))
        viewing = asyncio.create_task(page(message, may_begin=False))
        await until(lambda: followed(message)._readers == 2)
        assert await live.stop(message.pk)
        assert await stored(message) == ("stopped", "You said: I")
        for seen in (await watching, await viewing):
            assert [name for name, _ in seen] == ["recalled", "text", "done"]
            assert seen[1] == ("text", "You said: I")
            assert "You stopped the reply here." in seen[2][1]
        assert not await live.stop(message.pk)

    play(scene())


def test_text_comes_once_and_what_is_written_there_is_escaped(
    ask: Ask, stub_model: StubModel, play: Play
) -> None:
    stub_model.script("hold:2")
    message = ask("<b>a</b> & b c d")
    escaped = "You said: &lt;b&gt;a&lt;/b&gt; &amp; b c d"

    async def scene() -> None:
        events = []
        async for name, data in drawn(message):
            events.append((name, data))
            if name == "text":
                stub_model.release()
        [recalled, (first, _), *others, (last, whole)] = events
        assert (recalled[0], first, last) == ("recalled", "text", "done")
        assert {name for name, _ in others} <= {"token"}  # none, if the rest came at once
        text = "".join(data for name, data in events if name in {"text", "token"})
        assert text == escaped
        assert escaped in whole

    play(scene())


@pytest.mark.parametrize("tokens", [0, 2])
def test_a_reply_without_readers_is_stopped_after_its_grace_and_kept(
    ask: Ask, stub_model: StubModel, play: Play, monkeypatch: pytest.MonkeyPatch, tokens: int
) -> None:
    stub_model.script("stall:3")
    message = ask()

    def told() -> str:
        events = followed(message)._events
        return "".join(one.text for one in events if isinstance(one, Token))

    async def scene() -> None:
        await read(message, tokens)
        # It goes on for the grace: all that the model said is there, not only what was read.
        await until(lambda: told() == "You said: I")
        monkeypatch.setattr(live, "GRACE", 0.05)
        await read(message, 0)
        await until(lambda: not live._LIVE)
        assert await stored(message) == ("stopped", "You said: I")

    play(scene())


def test_a_hundred_pages_that_leave_leave_nothing(
    ask: Ask, stub_model: StubModel, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "GRACE", 0.05)
    stub_model.script(*["stall:3"] * 100)
    messages = [ask() for _ in range(100)]

    async def scene() -> None:
        await asyncio.gather(*(read(message, n % 4) for n, message in enumerate(messages)))
        await until(lambda: not live._LIVE)

    play(scene())
    assert set(Message.objects.filter(role="assistant").values_list("state", flat=True)) == {
        "stopped"
    }


def test_a_failed_reply_is_told_to_each_reader(ask: Ask, stub_model: StubModel, play: Play) -> None:
    stub_model.script("close:3")
    message = ask()

    async def scene() -> None:
        for name, data in [(await page(message))[-1] for _ in range(2)]:
            assert name == "done"
            assert "was cut off" in data
            assert "Try again" in data

    play(scene())


def test_what_somebody_else_writes_is_waited_for(
    ask: Ask, play: Play, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.views.replies.SECOND_LOOK", 0.02)
    message = ask()  # as it was read before the other process claimed it
    Message.objects.filter(pk=message.pk).update(state="streaming")

    async def scene() -> None:
        with pytest.raises(Conflict):
            await read(message)
        watching = asyncio.create_task(page(message))
        await asyncio.sleep(0.1)
        assert not watching.done()
        rows = Message.objects.filter(pk=message.pk)
        await in_thread(rows.update, state="done", content="From **elsewhere**")
        [(name, data)] = await watching
        assert name == "done"
        assert "<strong>elsewhere</strong>" in data

    play(scene())


def test_a_reply_that_nobody_has_begun_is_stopped_and_never_written(
    ask: Ask, play: Play, space: Space, stub_model: StubModel
) -> None:
    message = ask()
    stop_pending(space=space, message_id=message.pk, now=timezone.now())
    stop_pending(space=space, message_id=message.pk, now=timezone.now())

    async def scene() -> None:
        [(name, data)] = await page(message)
        assert (name, await stored(message)) == ("done", ("stopped", ""))

    play(scene())
    assert stub_model.requests == []
