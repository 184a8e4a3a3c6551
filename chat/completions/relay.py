"""A request on its way through: memories go in front of it, and what the model answers comes back
part by part as it came.

No thread and no database connection is held while the model thinks. However it ends — answered,
failed, or left by the client — the exchange is stored and the request to the model is over.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from django.utils import timezone

from assessor.llm import ChatMessage, ModelError
from assessor.llm.errors import ModelInterrupted
from chat.choices import Choices
from chat.completions.backends import Backend
from chat.completions.conversation_lookup import Names
from chat.completions.draft import Draft
from chat.completions.exchanges import Exchange
from chat.completions.messages import Said, read, with_notes
from chat.completions.schemas import CompletionIn, Json
from chat.models import MemoryUse, Message
from chat.prompting import notes_on
from chat.responders import Turn
from memory.embeddings import EmbeddingError
from memory.models import Space
from memory.recall.recall import Recall


@dataclass(frozen=True)
class Call:
    """A request with what its headers say, too. `memory` is None unsaid."""

    space: Space
    request: CompletionIn
    names: Names
    memory: str | None


async def answered(call: Call, backend: Backend) -> AsyncGenerator[Json]:
    """First the answer's field `ebb`, as soon as the model has accepted the request; then the
    chunks of the answer, or the one whole answer, as they came.

    To be wrapped in `contextlib.aclosing`: leaving it ends the request to the model.
    Raises InvalidArguments and EmbeddingError before the first part, ModelError at any.
    """
    said = read(call.request.messages)
    draft = Draft(backend.chosen(call.request.model))
    if not said.text:  # an image alone, say: nothing to recall by, nothing to keep
        async with aclosing(_asked(call, backend, _turn(said), draft)) as parts:
            async for part in parts:
                yield _NOTHING if part is None else part
        return
    choices = Choices(memory=call.memory, profile=call.request.ebb.profile)
    exchange = Exchange(call.space, said, call.names, **choices)
    try:
        message, found = await exchange.opened()
        async with aclosing(_asked(call, backend, _turn(said, message, found), draft)) as parts:
            async for part in parts:
                yield _remembered(call, message, exchange) if part is None else part
        await exchange.end(draft, Message.State.DONE)
    except (ModelError, EmbeddingError) as error:
        await exchange.end(draft, Message.State.FAILED, str(error))
        raise
    finally:
        await exchange.abandon(draft)


def _turn(said: Said, message: Message | None = None, found: Recall | None = None) -> Turn:
    history = said.history or [ChatMessage("user", "")]
    memory = message.conversation.memory if message else MemoryUse.OFF
    if found is None:
        return Turn(history, [], timezone.now(), memory)
    return Turn(history, found.results, timezone.now(), memory, rules=found.policy.document)


async def _asked(
    call: Call, backend: Backend, turn: Turn, draft: Draft
) -> AsyncGenerator[Json | None]:
    """None when the request is accepted, then what the backend answers, noted in the
    draft; ModelInterrupted if its end is missing.
    """
    request = call.request.forwarded()
    if turn.results:
        notes = notes_on(turn.results, turn.now, turn.rules)
        request["messages"] = with_notes(request["messages"], notes)
    async with backend.answer(request, turn) as parts:
        yield None
        async for part in parts:
            draft.add(part)
            yield part
    if not draft.finish_reason:
        raise ModelInterrupted("the answer ended without a finish reason")


def _remembered(call: Call, message: Message, exchange: Exchange) -> Json:
    """The field `ebb`."""
    ids = {
        "conversation_id": str(message.conversation_id),
        "message_id": str(message.pk),
        "assessment_id": str(message.assessment_id) if message.assessment_id else None,
    }
    return ids | ({"recalled": exchange.recalled} if call.request.ebb.recalled else {})


_NOTHING: Json = {"conversation_id": None, "message_id": None, "assessment_id": None}
