"""Passes a request to the model with memories added, and returns the answer part by part.

No thread and no database connection is occupied while the model works. At every end — answered,
failed, or the client disconnected — the exchange is stored and the request to the model is closed.
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
    """A request with the options of its headers. `memory` is None if not given."""

    space: Space
    request: CompletionIn
    names: Names
    memory: str | None


async def answered(call: Call, backend: Backend) -> AsyncGenerator[Json]:
    """Yield the field `ebb` once the model has accepted the request, then the answer's parts
    unchanged.

    Wrap the generator in `contextlib.aclosing`: closing it ends the request to the model. Raises
    InvalidArguments and EmbeddingError before the first part, ModelError at any part.
    """
    said = read(call.request.messages)
    draft = Draft(backend.chosen(call.request.model))
    if not said.text:  # an image alone, for example: no text for recall or storage
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
    """Yield None when the request is accepted, then the backend's parts, added to the draft.

    Raises ModelInterrupted if the answer has no finish reason.
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
    """Return the field `ebb`."""
    ids = {
        "conversation_id": str(message.conversation_id),
        "message_id": str(message.pk),
        "assessment_id": str(message.assessment_id) if message.assessment_id else None,
    }
    return ids | ({"recalled": exchange.recalled} if call.request.ebb.recalled else {})


_NOTHING: Json = {"conversation_id": None, "message_id": None, "assessment_id": None}
