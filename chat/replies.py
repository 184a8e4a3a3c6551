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

from django.utils import timezone

from assessor.llm import ChatMessage, Finished, ModelError, TextDelta, Usage
from chat.models import Message
from chat.responders import Responder, Turn, get_responder
from chat.services import Reply, claim_reply, finish_reply
from memory.connections import in_thread
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
    """The model gave up; what had come is stored."""

    reply: Reply


Event = Recalled | Token | Done | Failed


@dataclass
class _Draft:
    """The reply so far."""

    responder: Responder
    found: Recall
    recalled: list[dict[str, Any]]
    pieces: list[str] = field(default_factory=list)
    usage: Usage | None = None

    def reply(self, state: str, error: str = "") -> Reply:
        usage = self.usage
        return Reply(
            state=state,
            content="".join(self.pieces),
            model=self.responder.label,
            recalled=self.recalled,
            memory_ids=self.found.memory_ids,
            usage=(
                {
                    "prompt_tokens": usage.prompt_tokens,
                    "completion_tokens": usage.completion_tokens,
                }
                if usage
                else None
            ),
            error=error,
        )


async def stream_reply(message: Message) -> AsyncGenerator[Event]:
    """Answers the turn whose empty reply this is. Raises Conflict if somebody already does."""
    turn, found = await in_thread(_prepare, message, timezone.now())
    draft = _Draft(get_responder(), found, results_out(found.results))
    try:
        yield Recalled(draft.recalled)
        async with aclosing(draft.responder.stream(turn)) as chunks:
            async for chunk in chunks:
                if isinstance(chunk, TextDelta):
                    draft.pieces.append(chunk.text)
                    yield Token(chunk.text)
                elif isinstance(chunk, Finished):
                    draft.usage = chunk.usage
    except ModelError as error:
        reply = draft.reply(Message.State.FAILED, str(error))
        await _finish(message, reply)
        yield Failed(reply)
    except (asyncio.CancelledError, GeneratorExit):
        # The reader left. What was written so far is kept, and the user's words are judged.
        await asyncio.shield(_finish(message, draft.reply(Message.State.STOPPED)))
        raise
    else:
        reply = draft.reply(Message.State.DONE)
        await _finish(message, reply)
        yield Done(reply)


async def _finish(message: Message, reply: Reply) -> None:
    await in_thread(finish_reply, message=message, reply=reply, now=timezone.now())


def _prepare(message: Message, now: datetime) -> tuple[Turn, Recall]:
    """Takes the reply on, reads what was said, recalls what fits: all the database work at once."""
    if not claim_reply(space=message.space, message_id=message.pk):
        raise Conflict("This reply is already being written.")
    earlier = Message.objects.in_space(message.space).of(message.conversation)
    said = earlier.filter(position__lt=message.position).exclude(content="")
    latest = list(said.order_by("-position")[:HISTORY_MESSAGES])[::-1]
    history = [ChatMessage("user" if m.role == "user" else "assistant", m.content) for m in latest]
    found = recall(space=message.space, query=history[-1].content, now=now)
    return Turn(history, found.results, now), found
