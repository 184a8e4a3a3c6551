"""A reply for a page in another web process. Here one process plays both: what it sends goes
through PostgreSQL and comes back."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from chat.models import Message
from chat.replies import elsewhere, live, process_channel
from chat.replies.process_channel import OWN, listen, send
from chat.replies.writing import Done, Event, Token
from foundation.database.connections import in_thread
from tests.chat.live_scenes import Ask, Play, followed, stored, until
from tests.processes import test_database_url
from tests.stub_model import StubModel

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def address(settings: Settings) -> None:
    settings.LISTEN_ADDRESS = test_database_url()


def listening() -> list[int]:
    """The server processes of the sessions that listen."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE query = %s", [f'LISTEN "{OWN}"'])
        return [pid for [pid] in cursor.fetchall()]


@asynccontextmanager
async def heard(work: Any) -> AsyncIterator[None]:
    """Messages to this process arrive inside the block."""
    hearing = asyncio.create_task(work)
    while not await in_thread(listening):
        await asyncio.sleep(0.01)
    yield
    hearing.cancel()
    await asyncio.wait([hearing])
    while await in_thread(listening):
        await asyncio.sleep(0.01)


async def all_of(reading: AsyncGenerator[list[Event]]) -> list[Event]:
    async with aclosing(reading) as news:
        return [event async for events in news for event in events]


def text(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Token))


def test_a_reader_elsewhere_gets_the_events_so_far_and_then_the_new_ones(
    ask: Ask, stub_model: StubModel, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine the events arrive seconds after the end of the reply.
    monkeypatch.setattr(elsewhere, "UNANSWERED", 60.0)
    monkeypatch.setattr(elsewhere, "SILENCE", 60.0)
    stub_model.script("hold:3000")
    message = ask("tea " * 4000)  # more than a notification holds, when it comes at once

    async def scene() -> None:
        async with heard(elsewhere.answer_others()):
            here = asyncio.create_task(all_of(followed(message).read()))
            await until(lambda: len(followed(message)._events) > 3000)
            there = [asyncio.create_task(all_of(elsewhere.read(message))) for _ in range(2)]
            await until(lambda: followed(message)._readers == 3)
            stub_model.release()
            *events, end = await here
            assert isinstance(end, Done)
            for other in there:
                assert await other == events
            assert await stored(message) == ("done", text(events))
            assert len(text(events)) > 16_000

    play(scene())
    assert len(stub_model.requests) == 1


def test_a_reader_elsewhere_that_leaves_ends_the_reply_after_its_grace(
    ask: Ask, stub_model: StubModel, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub_model.script("stall:3")
    message = ask()

    async def scene() -> None:
        async with heard(elsewhere.answer_others()):
            followed(message)
            async with aclosing(elsewhere.read(message)) as news:
                seen: list[Event] = []
                while text(seen) != "You said: I":
                    seen += await anext(news)
                monkeypatch.setattr(live, "GRACE", 0.05)
            await until(lambda: not live._LIVE)
        assert await stored(message) == ("stopped", "You said: I")

    play(scene())


def test_a_reply_is_stopped_from_elsewhere(
    ask: Ask, stub_model: StubModel, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "STOP_PATIENCE", 60.0)
    stub_model.script("stall:3")
    message = ask()

    async def scene() -> None:
        async with heard(elsewhere.answer_others()):
            followed(message)
            await until(lambda: len(followed(message)._events) == 4)
            assert await elsewhere.stop(message)
            assert await stored(message) == ("stopped", "You said: I")

    play(scene())


def test_a_reply_that_nobody_answers_for_is_not_stopped(
    ask: Ask, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "STOP_PATIENCE", 0.05)
    message = ask()
    Message.objects.filter(space_id=message.space_id, pk=message.pk).update(state="streaming")

    async def scene() -> None:
        async with heard(elsewhere.answer_others()):
            assert not await elsewhere.stop(message)

    play(scene())


def test_a_reader_learns_the_end_from_the_database_if_its_writer_falls_silent(
    ask: Ask, play: Play, stub_model: StubModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "SILENCE", 0.05)
    stub_model.script("stall:3")
    message = ask()

    async def scene() -> None:
        async with heard(elsewhere.answer_others()):
            followed(message)
            there = asyncio.create_task(all_of(elsewhere.read(message)))
            await until(lambda: bool(elsewhere._forwards))
            await asyncio.sleep(0.2)
            assert not there.done()
            [forward] = elsewhere._forwards.values()
            forward.cancel()
            await live.stop(message.pk)
            assert text(await there) in {"", "You said: I"}

    play(scene())


def test_long_and_repeated_texts_arrive_as_they_were_sent(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = [{"text": "a" * 40_000}, {"text": "\0é龙" * 5000}, {}, {"text": "a" * 40_000}]
    arrived: list[dict[str, Any]] = []

    async def scene() -> None:
        async with heard(listen(arrived.append)):
            for message in messages:
                await in_thread(send, OWN, message)
            await until(lambda: len(arrived) == len(messages))
        assert arrived == messages

    play(scene())


def test_a_broken_connection_is_opened_again(
    play: Play, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(process_channel, "PAUSE", 0.01)
    arrived: list[dict[str, Any]] = []

    def cut() -> int:
        [broken] = listening()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [broken])
        return broken

    async def scene() -> None:
        async with heard(listen(arrived.append)):
            broken = await in_thread(cut)
            while (await in_thread(listening) or [broken]) == [broken]:
                await asyncio.sleep(0.01)
            await in_thread(send, OWN, {"text": "again"})
            await until(lambda: arrived == [{"text": "again"}])

    play(scene())
    assert "This web process cannot hear the others" in caplog.text


def test_behind_a_pooler_it_is_said_once_that_nothing_is_heard(
    play: Play, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.LISTEN_ADDRESS = ""

    play(elsewhere.answer_others())

    assert "DATABASE_URL leads to a pooler" in caplog.text
