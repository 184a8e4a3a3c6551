"""Replies that the stub model writes in this process, and scenes that are played with them."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space
from assessor.llm import clients, model_session
from chat.models import Message
from chat.replies import live
from chat.replies.turns import begin_turn
from foundation.database.connections import in_thread
from tests.stub_model import StubModel


@pytest.fixture
def ask(
    space: Space,
    settings: Settings,
    stub_model: StubModel,
    queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> "Ask":
    """Makes replies that wait to be written by the stub model."""
    # Until the test says otherwise, nothing ends because this machine is slow.
    monkeypatch.setattr(live, "GRACE", 600.0)
    monkeypatch.setattr(clients, "CONNECT_TIMEOUT", 600.0)
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
        stub_model.until_left()

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


async def stored(message: Message) -> tuple[str, str]:
    await in_thread(message.refresh_from_db, fields=["state", "content"])
    return message.state, message.content
