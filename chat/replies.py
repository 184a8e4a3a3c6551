"""A reply as a stream of events: the one way a turn is answered, for pages and API alike.

No thread and no database connection is held while the model thinks. However the stream ends —
done, failed, or left by its reader — the reply's row is finished and the exchange is released.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from assessor.llm import ChatMessage, Finished, ModelError, TextDelta, Usage
from assessor.storable import storable
from chat.models import Message
from chat.responders import Responder, Turn, get_responder
from chat.services import Reply, claim_reply, finish_reply
from memory.connections import in_thread
from memory.embeddings import EmbeddingError
from memory.errors import Conflict
from memory.recall import Recall, recall
from memory.schemas import results_out

HISTORY_MESSAGES = 20


@dataclass(frozen=True)
class Recalled:
    """What was recalled for the reply: search results as JSON."""

    results: list[dict[str, Any]]


@dataclass(frozen=True)
class Token:
    """A piece of the reply."""

    text: str


@dataclass(frozen=True)
class Done:
    """The reply is whole and stored."""

    reply: Reply


@dataclass(frozen=True)
class Failed:
    """The model gave up; what had come is stored. `error` is why, for callers that raise it."""

    reply: Reply
    error: ModelError | EmbeddingError


Event = Recalled | Token | Done | Failed


@dataclass
class _Draft:
    """The reply so far."""

    responder: Responder
    recalled: list[dict[str, Any]] = field(default_factory=list)
    memory_ids: list[UUID] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    usage: Usage | None = None
    ended: bool = False

    def reply(self, state: str, error: str = "") -> Reply:
        usage = self.usage
        return Reply(
            state=state,
            content=storable("".join(self.pieces)),
            model=self.responder.label,
            recalled=self.recalled,
            memory_ids=self.memory_ids,
            usage=(
                {
                    "prompt_tokens": usage.prompt_tokens,
                    "completion_tokens": usage.completion_tokens,
                }
                if usage
                else None
            ),
            error=storable(error),
        )


async def stream_reply(message: Message) -> AsyncGenerator[Event]:
    """Answers the turn whose empty reply this is. Raises Conflict if somebody already does."""
    claim = asyncio.ensure_future(
        in_thread(claim_reply, space=message.space, message_id=message.pk)
    )
    draft = _Draft(get_responder())
    try:
        if not await asyncio.shield(claim):
            raise Conflict("This reply is already being written.")
        async with aclosing(_written(message, draft)) as events:
            async for happened in events:
                yield happened
    except (ModelError, EmbeddingError) as error:
        reply = await _finish(message, draft, Message.State.FAILED, str(error))
        yield Failed(reply, error)
    else:
        yield Done(await _finish(message, draft, Message.State.DONE))
    finally:
        # Its reader left, or something broke: what was written so far is kept, and the user's words
        # are judged. Both can happen while the claim is on its way.
        if not draft.ended and await claim:
            await _finish(message, draft, Message.State.STOPPED)


async def _written(message: Message, draft: _Draft) -> AsyncGenerator[Recalled | Token]:
    """Recalls and writes, and notes both in the draft."""
    turn, found = await in_thread(_prepare, message, timezone.now())
    draft.recalled, draft.memory_ids = results_out(found.results), found.memory_ids
    yield Recalled(draft.recalled)
    async with aclosing(draft.responder.stream(turn)) as chunks:
        async for chunk in chunks:
            if isinstance(chunk, TextDelta):
                draft.pieces.append(chunk.text)
                yield Token(storable(chunk.text))
            elif isinstance(chunk, Finished):
                draft.usage = chunk.usage


async def _finish(message: Message, draft: _Draft, state: str, error: str = "") -> Reply:
    """Stores the end of the reply, even if the reader leaves at this very moment."""
    reply = draft.reply(state, error)
    stored = in_thread(finish_reply, message=message, reply=reply, now=timezone.now())
    await asyncio.shield(stored)
    draft.ended = True
    return reply


def _prepare(message: Message, now: datetime) -> tuple[Turn, Recall]:
    """Reads what was said and recalls what fits: all the database work at once."""
    earlier = Message.objects.in_space(message.space).of(message.conversation)
    said = earlier.filter(position__lt=message.position).exclude(content="")
    latest = list(said.order_by("-position")[:HISTORY_MESSAGES])[::-1]
    history = [ChatMessage("user" if m.role == "user" else "assistant", m.content) for m in latest]
    found = recall(space=message.space, query=history[-1].content, now=now)
    return Turn(history, found.results, now), found
