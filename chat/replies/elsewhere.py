"""Replies across web processes: lets a page read and stop a reply that another process writes.

A reader asks all processes for its reply (chat.replies.process_channel). The process that writes
the reply sends the events so far, then the new ones, until the reply ends or the reader leaves.

The database decides when a reply has ended. So a page also shows the whole reply at its end if no
process answers: the writer has died or cannot be reached, or the reply belongs to a program's call.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine, Iterable
from contextlib import aclosing, suppress
from typing import Any
from uuid import UUID, uuid4

from django.db import DatabaseError

from chat.models import Message
from chat.replies import live
from chat.replies.process_channel import ALL, OWN, ProcessMessage, listen, send
from chat.replies.services import is_being_written
from chat.replies.writing import Event, Recalled, Token, Tool
from foundation.database.connections import in_thread
from foundation.errors import Conflict

logger = logging.getLogger(__name__)

# Seconds without an event after which a reader checks whether the reply has ended.
UNANSWERED = 0.5
SILENCE = 5.0
STOP_PATIENCE = 3.0  # seconds that another process may take to stop a reply

_SENT = {kind.__name__: kind for kind in (Recalled, Token, Tool)}

_readers: dict[str, asyncio.Queue[ProcessMessage]] = {}
_forwards: dict[str, asyncio.Task[None]] = {}
_tasks: set[asyncio.Task[Any]] = set()


async def answer_others() -> None:
    """Serve the replies of this process to the others until the task is cancelled."""
    await listen(_handle)


async def finish_forwards() -> None:
    """Wait until the readers in other processes know that the replies of this process have
    ended.
    """
    await asyncio.gather(*_forwards.values(), return_exceptions=True)


async def read(message: Message) -> AsyncGenerator[list[Event]]:
    """Yield the events of a reply that another process writes, until the reply has ended."""
    if not await in_thread(is_being_written, message):
        return
    reader, answers = uuid4().hex, asyncio.Queue[ProcessMessage]()
    _readers[reader] = answers
    follow = {"do": "follow", "reply": str(message.pk), "reader": reader, "channel": OWN}
    patience = UNANSWERED
    try:
        await in_thread(send, ALL, follow)
        while True:
            try:
                async with asyncio.timeout(patience):
                    answer = await answers.get()
            except TimeoutError:
                if not await in_thread(is_being_written, message):
                    return
                continue
            patience = SILENCE
            if answer["ended"]:
                return
            yield _decoded(answer["events"])
    finally:
        del _readers[reader]
        _begin(_leave(reader))


async def stop(message: Message) -> bool:
    """Ask the process that writes the reply to stop it; return whether the reply has ended."""
    await in_thread(send, ALL, {"do": "stop", "reply": str(message.pk)})
    with suppress(TimeoutError):
        async with asyncio.timeout(STOP_PATIENCE), aclosing(read(message)) as news:
            async for _ in news:
                pass
    return not await in_thread(is_being_written, message)


async def _leave(reader: str) -> None:
    """Tell the writer that the reader has gone."""
    try:
        await in_thread(send, ALL, {"do": "leave", "reader": reader})
    except DatabaseError as error:
        logger.warning(
            "The process that writes a reply was not notified that its reader left: %s", error
        )


def _handle(message: ProcessMessage) -> None:
    """Act on a message from another process; ignore one of an unknown kind."""
    match message:
        case {"do": "follow", "reply": reply, "reader": reader, "channel": channel}:
            if written := live.written_here(UUID(reply)):
                forward = asyncio.create_task(_forward(written, reader, channel))
                _forwards[reader] = forward
                forward.add_done_callback(lambda _: _forwards.pop(reader))
        case {"do": "leave", "reader": reader}:
            if leaving := _forwards.get(reader):
                leaving.cancel()
        case {"do": "stop", "reply": reply}:
            _begin(live.stop(UUID(reply)))
        case {"do": "tell", "reader": reader}:
            if answers := _readers.get(reader):
                answers.put_nowait(message)


async def _forward(reply: live.LiveReply, reader: str, channel: str) -> None:
    """Send the reply's events to a reader in another process. This reader counts like a
    local one.
    """
    told = {"do": "tell", "reader": reader}
    try:
        with suppress(Conflict):  # a third process writes it
            async with aclosing(reply.read()) as news:
                async for happened in news:
                    events = _encoded(happened)
                    await in_thread(send, channel, told | {"ended": False, "events": events})
            await in_thread(send, channel, told | {"ended": True})
    except DatabaseError as error:
        logger.warning("A reply was not sent to its reader in another process: %s", error)


def _encoded(events: Iterable[Event]) -> list[tuple[str, dict[str, Any]]]:
    """Return the events as JSON, without the end of the reply: the database has it."""
    kinds = [(type(one).__name__, one) for one in events]
    return [(kind, vars(one)) for kind, one in kinds if kind in _SENT]


def _decoded(events: Iterable[tuple[str, dict[str, Any]]]) -> list[Event]:
    return [_SENT[kind](**values) for kind, values in events]


def _begin(work: Coroutine[Any, Any, Any]) -> None:
    """Run the work in the background; the set keeps it from being collected."""
    task = asyncio.create_task(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
