"""Replies that this process is writing for pages, each in its own task.

Writer and readers are separate tasks. A reloaded page or a second tab reads the events so far, then
the new ones. A reply without readers continues for GRACE seconds. Then it is stopped as if a person
had stopped it: the text so far is stored.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from uuid import UUID

from chat.models import Message
from chat.replies.writing import Event, Recalled, Token, stream_reply

# Seconds that a reply continues without a reader. A reload takes two or three, even on a phone.
GRACE = 10.0

# Seconds between two batches of text. Drawing each of thirty tokens a second would look the same
# and cost three times as much.
PACE = 0.1

# Seconds to wait for the first text once the memories are known. The built-in responder answers at
# once, so the page can show its text before the memories.
MOMENT = 0.01

INSIST = 2.0  # seconds between two attempts to stop a writer

_LIVE: dict[UUID, "LiveReply"] = {}


def follow(message: Message, *, may_begin: bool) -> "LiveReply | None":
    """Return the reply if this process writes it; begin it if it is pending and `may_begin`.

    Returns None if the reply has ended or another process or API stream writes it.
    """
    live = _LIVE.get(message.pk)
    if live is None and may_begin and message.state == Message.State.PENDING:
        live = _LIVE[message.pk] = LiveReply(message)
    return live


def written_here(message_id: UUID) -> "LiveReply | None":
    """Return the reply if this process is writing it."""
    return _LIVE.get(message_id)


async def stop(message_id: UUID) -> bool:
    """Stop the reply if this process writes it, and wait until the text so far is stored."""
    live = _LIVE.get(message_id)
    if live is None:
        return False
    await live.stop()
    return True


async def stop_all() -> None:
    """Stop all replies that this process writes, and wait until their texts are stored."""
    await asyncio.gather(*(reply.stop() for reply in list(_LIVE.values())))


class LiveReply:
    """A reply that is being written, with all its events."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self._events: list[Event] = []
        self._changed = asyncio.Event()
        self._readers = 0
        self._writer = asyncio.create_task(self._write())
        self._writer.add_done_callback(lambda _: self._end())
        self._loop = asyncio.get_running_loop()
        self._leaving = self._loop.call_later(GRACE, self._give_up)

    async def read(self) -> AsyncGenerator[list[Event]]:
        """Yield the events so far, then new ones as they come, text in batches.

        Raises Conflict if another process writes the reply.
        """
        self._readers += 1
        self._leaving.cancel()
        seen = 0
        try:
            while seen < len(self._events) or not self._writer.done():
                if seen == len(self._events):
                    await self._changed.wait()
                    continue
                if isinstance(self._events[-1], Recalled):
                    await asyncio.wait([self._writer], timeout=MOMENT)
                happened = self._events[seen:]
                seen += len(happened)
                yield happened
                if any(isinstance(one, Token) for one in happened):
                    await asyncio.wait([self._writer], timeout=PACE)
            if not self._writer.cancelled():
                self._writer.result()
        finally:
            self._readers -= 1
            if self._readers == 0 and not self._writer.done():
                self._leaving = self._loop.call_later(GRACE, self._give_up)

    async def stop(self) -> None:
        """Stop the reply; return when the text so far is stored."""
        self._give_up()
        await asyncio.wait([self._writer])

    async def _write(self) -> None:
        async with aclosing(stream_reply(self.message, explain=True)) as events:
            async for happened in events:
                self._events.append(happened)
                self._wake_readers()

    def _wake_readers(self) -> None:
        """Wake all waiting readers; afterwards they wait for the next change."""
        self._changed.set()
        self._changed = asyncio.Event()

    def _give_up(self) -> None:
        """Cancel the writer repeatedly until it ends.

        Libraries sometimes lose a cancellation, for example while a connection opens. Storing the
        text is not interrupted.
        """
        if not self._writer.done():
            self._writer.cancel()
            self._loop.call_later(INSIST, self._give_up)

    def _end(self) -> None:
        del _LIVE[self.message.pk]
        self._leaving.cancel()
        self._wake_readers()
