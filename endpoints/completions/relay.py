"""Passes a request to the model with memories added, and returns the answer part by part.

No thread and no database connection is occupied while the model works. At every end — answered,
failed, or the client disconnected — the exchange is stored and the request to the model is closed.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Space
from assessor.llm import ChatMessage, ModelError
from assessor.llm.errors import ModelInterrupted
from assessor.screening import GateReason
from chat.choices import Choices
from chat.models import Conversation, MemoryUse, Message
from chat.replies.ephemeral import ephemeral_conversation
from chat.replies.writing import recall_for
from chat.responders import Turn
from chat.responders.prompting import how_to_answer, notes_on
from endpoints.completions.backends import Backend
from endpoints.completions.conversation_lookup import Names
from endpoints.completions.draft import Draft
from endpoints.completions.exchanges import Exchange
from endpoints.completions.messages import Said, read, with_notes
from endpoints.completions.schemas import CompletionIn, Json
from foundation.database.connections import in_thread
from foundation.moments import zone_name
from memory.drafts import MAX_CONTENT
from memory.embeddings import EmbeddingError
from memory.memories.schemas import results_out
from memory.recall.recall import Recall


@dataclass(frozen=True)
class Call:
    """A request with the options of its headers. `memory` is None if not given.

    With `gated`, or unless it `learns`, it teaches nothing. A gated request is not stored either.
    `now` is when it came, in the zone of the person who speaks.
    """

    space: Space
    request: CompletionIn
    names: Names
    memory: str | None
    now: datetime
    gated: GateReason | None = None
    learns: bool = True


async def answered(call: Call, backend: Backend) -> AsyncGenerator[Json]:
    """Yield the field `ebb` once the model has accepted the request, then the answer's parts
    unchanged.

    Wrap the generator in `contextlib.aclosing`: closing it ends the request to the model. Raises
    InvalidArguments and EmbeddingError before the first part, ModelError at any part.
    """
    said = read(call.request.messages)
    draft = Draft(backend.chosen(call.request.model))
    choices = Choices(memory=call.memory, profile=call.request.ebb.profile)
    if call.gated or not said.text:  # an image alone, for example
        turn, recalled = await _unstored(call, said, choices)
        async with aclosing(_asked(call, backend, turn, draft)) as parts:
            async for part in parts:
                yield _NOTHING | recalled if part is None else part
        return
    exchange = Exchange(call.space, said, call.names, now=call.now, learns=call.learns, **choices)
    try:
        message, found = await exchange.opened()
        turn = _turn(call, said, message.conversation, found)
        async with aclosing(_asked(call, backend, turn, draft)) as parts:
            async for part in parts:
                yield _remembered(call, message, exchange) if part is None else part
        await exchange.end(draft, Message.State.DONE)
    except (ModelError, EmbeddingError) as error:
        await exchange.end(draft, Message.State.FAILED, error)
        raise
    finally:
        await exchange.abandon(draft)


async def _unstored(call: Call, said: Said, choices: Choices) -> tuple[Turn, Json]:
    """Return the turn of a request that is not stored, and the field `recalled`, if wanted."""
    if not said.text:
        return _turn(call, said), {}
    conversation = ephemeral_conversation(
        space=call.space, user_id=call.names.owner, time_zone=zone_name(call.now), **choices
    )
    text = said.text[:MAX_CONTENT]
    found = await in_thread(recall_for, conversation, text, said_by=call.names.owner)
    recalled = {"recalled": results_out(found.results) if found else []}
    shown = recalled if call.request.ebb.recalled else {}
    return _turn(call, said, conversation, found), shown


def _turn(
    call: Call,
    said: Said,
    conversation: Conversation | None = None,
    found: Recall | None = None,
) -> Turn:
    history = said.history or [ChatMessage("user", "")]
    memory = conversation.memory if conversation else MemoryUse.OFF
    if found is None:
        return Turn(history, [], call.now, memory)
    return Turn(
        history,
        found.results,
        call.now,
        memory,
        standing=found.standing,
        rules=found.policy.document,
    )


async def _asked(
    call: Call, backend: Backend, turn: Turn, draft: Draft
) -> AsyncGenerator[Json | None]:
    """Yield None when the request is accepted, then the backend's parts, added to the draft.

    Raises ModelInterrupted if the answer has no finish reason.
    """
    request = call.request.forwarded()
    notes = [how_to_answer(turn.standing, turn.rules)]
    if turn.results:
        notes.append(notes_on(turn.results, turn.now, turn.rules))
    notes = list(filter(None, notes))
    if notes:
        request["messages"] = with_notes(request["messages"], "\n\n".join(notes))
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
    if not call.request.ebb.recalled:
        return ids
    return ids | {"recalled": exchange.recalled, "standing": exchange.standing}


_NOTHING: Json = {"conversation_id": None, "message_id": None, "assessment_id": None}
