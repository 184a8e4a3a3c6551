"""Replies that are being written for pages: by this process, each in a task of its own.

Writer and readers are apart. A page that is reloaded, or a second tab, reads what was produced so
far and then goes on with the rest. A reply that nobody reads any more is written for a little
longer, in case its reader comes back, and is then stopped like one that somebody stops: what was
produced is kept.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from uuid import UUID

from chat.models import Message
from chat.replies import Event, stream_reply

# Seconds that a reply goes on without a reader: a reload takes two or three, also on a phone.
GRACE = 10.0

INSIST = 2.0  # seconds between two attempts to stop a writer

_LIVE: dict[UUID, "LiveReply"] = {}


def follow(message: Message, *, may_begin: bool) -> "LiveReply | None":
    """The reply, if it is written here; it is begun here if nobody has begun it and one may.

    None if it is over, or if somebody else writes it: another process, or a program's own stream.
    """
    live = _LIVE.get(message.pk)
    if live is None and may_begin and message.state == Message.State.PENDING:
        live = _LIVE[message.pk] = LiveReply(message)
    return live


async def stop(message_id: UUID) -> bool:
    """Stops the reply, if it is written here, and waits until what was produced is stored."""
    live = _LIVE.get(message_id)
    if live is None:
        return False
    await live.stop()
    return True


async def stop_all() -> None:
    """Stops all replies that are written here, and waits until what was produced is stored."""
    await asyncio.gather(*(reply.stop() for reply in list(_LIVE.values())))


class LiveReply:
    """A reply that is being written, and all that has happened in it."""

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
        """Yields the events so far, then the new ones whenever there are some.

        Raises Conflict if it turns out that somebody else writes the reply.
        """
        self._readers += 1
        self._leaving.cancel()
        seen = 0
        try:
            while seen < len(self._events) or not self._writer.done():
                if seen == len(self._events):
                    await self._changed.wait()
                    continue
                happened = self._events[seen:]
                seen += len(happened)
                yield happened
            if not self._writer.cancelled():
                self._writer.result()
        finally:
            self._readers -= 1
            if self._readers == 0 and not self._writer.done():
                self._leaving = self._loop.call_later(GRACE, self._give_up)

    async def stop(self) -> None:
        """Ends it now; returns when what was produced is stored."""
        self._give_up()
        await asyncio.wait([self._writer])

    async def _write(self) -> None:
        async with aclosing(stream_reply(self.message, explain=True)) as events:
            async for happened in events:
                self._events.append(happened)
                self._wake_readers()

    def _wake_readers(self) -> None:
        """Wakes all waiting readers; from then on they wait for the next change."""
        self._changed.set()
        self._changed = asyncio.Event()

    def _give_up(self) -> None:
        """Cancels the writer until it ends: libraries lose a cancellation now and then, as when it
        meets a connection that is just being made. Storing what was produced is not broken by it.
        """
        if not self._writer.done():
            self._writer.cancel()
            self._loop.call_later(INSIST, self._give_up)

    def _end(self) -> None:
        del _LIVE[self.message.pk]
        self._leaving.cancel()
        self._wake_readers()
