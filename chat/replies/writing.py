"""A reply as a stream of events, for pages and for the API.

No thread and no database connection is occupied while the model works. At every end — done, failed,
or the reader gone — the reply's row is finished and the exchange is released.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from assessor.llm import ChatMessage, Chunk, Finished, ModelError, TextDelta, Usage
from assessor.saving.taught import taught_only_by
from chat.models import Conversation, MemoryUse, Message
from chat.replies.leases import renewed
from chat.replies.recalling import recalled_for
from chat.replies.services import Reply, claim_reply, finish_reply
from chat.responders import Responder, Turn, get_responder
from chat.responders.base import Offer
from chat.responders.builtin import BuiltinResponder
from chat.responders.toolbox import Toolbox, ToolUse
from chat.why import explaining
from foundation.database.connections import in_last_thread, in_thread
from foundation.database.leases import database_now
from foundation.errors import Conflict
from foundation.texts.storable import storable
from memory.embeddings import EmbeddingError
from memory.memories.schemas import memories_out, results_out
from memory.model_connections.services import record_failure, record_success
from memory.models import ModelConnection
from memory.policy import PolicyDocument
from memory.recall.recall import Recall
from memory.recall.standing import standing_rules

HISTORY_MESSAGES = 20


@dataclass(frozen=True)
class Recalled:
    """The recalled search results in JSON, and the standing rules. Sent again after a search."""

    results: list[dict[str, Any]]
    standing: list[dict[str, Any]]


@dataclass(frozen=True)
class Token:
    """A piece of the reply."""

    text: str


@dataclass(frozen=True)
class Tool:
    """A tool call of the model: `name`, `arguments`, the result's `text`, `ok`, the `memory` it
    wrote."""

    call: dict[str, Any]


@dataclass(frozen=True)
class Done:
    """The whole reply, which is stored."""

    reply: Reply


@dataclass(frozen=True)
class Failed:
    """The reply up to a model failure, which is stored.

    `error` is the cause, for callers that raise it.
    """

    reply: Reply
    error: ModelError | EmbeddingError


Event = Recalled | Token | Tool | Done | Failed


@dataclass
class Draft:
    """The reply so far. With `explains`, its recall is explained at the end."""

    responder: Responder
    explains: bool = False
    said_by: str | None = None
    question: str | None = None
    found: Recall | None = None
    recalled: list[dict[str, Any]] = field(default_factory=list)
    standing: list[dict[str, Any]] = field(default_factory=list)
    memory_ids: list[UUID] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    tools: Toolbox | None = None
    usage: Usage | None = None
    is_cut: bool = False
    ended: bool = False

    def begin(self, found: Recall | None) -> Recalled:
        """Record the recall of the reply."""
        self.found = found
        if found is not None:
            self.recalled, self.memory_ids = results_out(found.results), found.memory_ids
            self.standing = memories_out(found.standing)
        return Recalled(self.recalled, self.standing)

    def add(self, chunk: Chunk | ToolUse | Offer) -> list[Recalled | Token | Tool]:
        """Record a piece of the answer; return its events for a reader."""
        if isinstance(chunk, TextDelta):
            self.pieces.append(chunk.text)
            return [Token(storable(chunk.text))]
        if isinstance(chunk, ToolUse):
            new = [result for result in chunk.found if result.memory.pk not in self.memory_ids]
            self.recalled = self.recalled + results_out(new)
            self.memory_ids = self.memory_ids + [result.memory.pk for result in new]
            called = Tool(chunk.shown())
            return [called, Recalled(self.recalled, self.standing)] if new else [called]
        if isinstance(chunk, Offer):
            self.recalled = explaining.only_offered(self.recalled, chunk.memory_ids)
            self.memory_ids = list(chunk.memory_ids)
            return [Recalled(self.recalled, self.standing)]
        if isinstance(chunk, Finished):
            self.usage, self.is_cut = chunk.usage, chunk.finish_reason == "length"
        return []

    def reply(self, state: str, error: ModelError | EmbeddingError | None = None) -> Reply:
        """Return the reply to store."""
        explanation = explaining.explain(self.found) if self.explains and self.found else []
        return Reply(
            state=state,
            content=storable("".join(self.pieces)),
            model=self.responder.label,
            recalled=explaining.with_ranks(self.recalled, explanation),
            missed=explaining.just_missed(explanation, self.memory_ids),
            memory_ids=self.memory_ids,
            standing=self.standing,
            recall_ms=self.found.took_ms if self.found else None,
            tool_calls=[use.shown() for use in self.tools.uses] if self.tools else [],
            usage=asdict(self.usage) if self.usage else None,
            error=storable(str(error or "")),
            error_code=error.code if error else "",
            is_cut=self.is_cut,
            is_builtin=isinstance(self.responder, BuiltinResponder),
            question=self.question,
        )


def recall_for(
    conversation: Conversation,
    text: str,
    without: Collection[UUID] = (),
    *,
    said_by: str | None,
) -> Recall | None:
    """Return the recall for the text with the conversation's settings; None if memory is off.

    The standing rules do not depend on the text. They are those of the person who said it.
    """
    if conversation.memory == MemoryUse.OFF:
        return None
    space, now = conversation.space, conversation.here(timezone.now())
    found = recalled_for(conversation, text, without, now=now)
    standing = standing_rules(
        space, person=said_by, rules=found.policy.document, now=now, without=without
    )
    return replace(found, standing=standing)


def _read(message: Message, draft: Draft) -> tuple[list[ChatMessage], Recall | None]:
    """Choose the draft's responder; return the history and the recall for the question."""
    space, (history, asked_at) = message.space, said_so_far(message)
    draft.responder = get_responder(space, message.conversation.model)
    draft.question = question = history[-1].content
    draft.said_by = message.said_by
    own = _taught_before(message) if message.position > asked_at + 1 else []
    found = recall_for(message.conversation, question, without=own, said_by=message.said_by)
    return history, found


def _taught_before(message: Message) -> list[UUID]:
    """Return the memories learned only from earlier replies to this message."""
    before = Message.objects.in_space(message.space).answered_before(message)
    assessed = [message.assessment_id] if message.assessment_id else []
    taught = taught_only_by(message.space, assessed, before.memories_written())
    return list(taught.values_list("pk", flat=True)) if before.exists() else []


async def stream_reply(message: Message, *, explain: bool = False) -> AsyncGenerator[Event]:
    """Write the empty reply of a turn, yielding its events.

    With `explain`, each memory's ranks and the just-missed memories are stored with it
    (chat.why.explaining). Raises Conflict if another process writes the reply.
    """
    claim = asyncio.ensure_future(_claimed(message))
    draft = Draft(BuiltinResponder(), explain)
    try:
        if not await asyncio.shield(claim):
            raise Conflict("This reply is already being written.")
        async with renewed(message):
            history, found = await in_thread(_read, message, draft)
            async with aclosing(written(message.conversation, history, found, draft)) as events:
                async for happened in events:
                    yield happened
    except (ModelError, EmbeddingError) as error:
        yield Failed(await _finish(message, draft, Message.State.FAILED, error), error)
    else:
        yield Done(await _finish(message, draft, Message.State.DONE))
    finally:
        # The reader left, or an error occurred. Either can happen during the claim. The text so far
        # is stored, and the exchange is released for assessment.
        if not draft.ended and await claim:
            await _finish(message, draft, Message.State.STOPPED)


async def _claimed(message: Message) -> bool:
    """Claim the reply unless it is already claimed for us; return whether we may write it."""
    if message.state == Message.State.STREAMING:
        return True
    return await in_thread(claim_reply, space=message.space, message_id=message.pk)


async def written(
    conversation: Conversation, history: Sequence[ChatMessage], found: Recall | None, draft: Draft
) -> AsyncGenerator[Recalled | Token | Tool]:
    """Answer with the conversation's settings; record all but the usage in the draft."""
    yield draft.begin(found)
    now = conversation.here(timezone.now())
    rules = found.policy.document if found else PolicyDocument()
    said, model = history[-1].content, draft.responder.label
    draft.tools = Toolbox(conversation, said, rules, model, now, draft.said_by)
    turn = Turn(
        history,
        found.results if found else [],
        now,
        conversation.memory,
        system_prompt=conversation.system_prompt,
        standing=found.standing if found else [],
        rules=rules,
        tools=draft.tools if await in_thread(draft.responder.calls_tools) else None,
    )
    async with aclosing(draft.responder.stream(turn)) as chunks:
        async for chunk in chunks:
            for happened in draft.add(chunk):
                yield happened


async def _finish(
    message: Message, draft: Draft, state: str, error: ModelError | EmbeddingError | None = None
) -> Reply:
    """Store the end of the reply, even if the reader disconnects now."""

    def store() -> Reply:
        # By the database's clock, which decides when the exchange is due.
        reply, now = draft.reply(state, error), database_now()
        with transaction.atomic():
            finish_reply(message=message, reply=reply, now=now)
            draft.responder.store_usage(now)
        if state != Message.State.STOPPED:
            _record_outcome(draft.responder.connection, error, now)
        return reply

    storing = asyncio.ensure_future(in_last_thread(store))
    try:
        return await asyncio.shield(storing)
    finally:
        # Whoever insists on the end (chat.replies.live) waits for the stored text all the same.
        while not storing.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([storing])
        draft.ended = storing.exception() is None


def _record_outcome(
    connection: ModelConnection | None, error: Exception | None, now: datetime
) -> None:
    """Record on the connection whether its model answered."""
    if connection and isinstance(error, ModelError):
        record_failure(connection=connection, error=str(error), now=now)
    elif connection and error is None:
        record_success(connection=connection)


def said_so_far(message: Message) -> tuple[list[ChatMessage], int]:
    """Return the latest messages before the reply, with the question last, and the question's
    position."""
    rows = Message.objects.in_space(message.space).of(message.conversation).shown()
    said = rows.filter(position__lt=message.position).exclude(content="").order_by("-position")
    latest = list(said.values_list("role", "content", "position")[:HISTORY_MESSAGES])
    history = [
        ChatMessage("user" if role == "user" else "assistant", content)
        for role, content, _ in reversed(latest)
    ]
    return history, latest[0][-1]
