"""A reply for pages: one writer, and any number of readers who come and go."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import psycopg
import pytest
from django.utils import timezone

from accounts.authentication import Access
from accounts.models import Space
from chat.models import Message
from chat.playground.replies import _fragments
from chat.replies import live
from chat.replies.services import stop_pending
from chat.replies.writing import Token
from foundation.actors import SYSTEM
from foundation.database.connections import in_thread
from foundation.errors import Conflict
from foundation.readers import EVERYONE
from tests.chat.live_scenes import Ask, Play, followed, stored, until
from tests.locks import somebody_waits
from tests.processes import test_database_url
from tests.stub_model import StubModel
from tests.stub_wire import TOKEN

pytestmark = pytest.mark.django_db(transaction=True)

WHOLE = "You said: I like tea"


async def read(message: Message, tokens: int = 1000) -> str:
    """The text that a reader sees who leaves after so many tokens, or a few more."""
    seen = ""
    async with aclosing(followed(message).read()) as news:
        async for happened in news:
            seen += "".join(one.text for one in happened if isinstance(one, Token))
            if len(TOKEN.findall(seen)) >= tokens:
                break
    return seen


async def drawn(message: Message, *, may_begin: bool = True) -> AsyncIterator[tuple[str, str]]:
    """The events of a page as they come, each with its data."""
    scopes = frozenset({"read", "write"} if may_begin else {"read"})
    space = Space(pk=message.space_id, slug="home")
    access = Access(space, SYSTEM, scopes, "user:1", EVERYONE)
    async for piece in _fragments(access, message):
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
            assert [name for name, _ in seen] == ["text", "recalled", "done"]
            assert "<p>You said: I</p>" in seen[0][1]
            assert "The reply was stopped here." in seen[2][1]
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
        *names, last = [name for name, _ in events]
        whole = events[-1][1]
        # The list of memories comes beside the text; no token, if the rest came at once.
        assert (names.count("recalled"), names.count("text"), last) == (1, 1, "done")
        assert set(names) <= {"recalled", "text", "token"}
        written = [data for name, data in events if name in {"text", "token"}]
        assert f'id="open-{message.pk}"><p>{escaped}</p>' in written[-1]
        assert f"<p>{escaped}</p>" in whole

    play(scene())


def test_who_insists_on_the_end_waits_for_the_stored_text(
    ask: Ask, stub_model: StubModel, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database takes longer to store it than a stop insists."""
    monkeypatch.setattr(live, "INSIST", 0.01)
    stub_model.script("stall:3")
    message = ask()

    async def scene() -> None:
        assert await read(message, tokens=3) == "You said: I"
        writer = followed(message)._writer
        with psycopg.connect(test_database_url()) as somebody:
            somebody.execute("SELECT FROM chat_message WHERE id = %s FOR UPDATE", [message.pk])
            stopping = asyncio.create_task(live.stop(message.pk))
            while not await in_thread(somebody_waits):
                await asyncio.sleep(0.01)
            insisted = writer.cancelling()
            await until(lambda: writer.done() or writer.cancelling() > insisted + 1)
            assert not stopping.done()
        assert await stopping
        assert await stored(message) == ("stopped", "You said: I")

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
    monkeypatch.setattr("chat.replies.elsewhere.UNANSWERED", 0.02)
    message = ask()  # as it was read before the other process claimed it
    Message.objects.filter(space_id=message.space_id, pk=message.pk).update(state="streaming")

    async def scene() -> None:
        with pytest.raises(Conflict):
            await read(message)
        watching = asyncio.create_task(page(message))
        await asyncio.sleep(0.1)
        assert not watching.done()
        rows = Message.objects.filter(space_id=message.space_id, pk=message.pk)
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
