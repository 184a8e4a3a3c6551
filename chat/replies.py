"""A reply as a stream of events: the one way a turn is answered, for pages and API alike.

No thread and no database connection is held while the model thinks. However the stream ends —
done, failed, or left by its reader — the reply's row is finished and the exchange is released.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Unpack
from uuid import UUID

from django.utils import timezone

from assessor.llm import ChatMessage, Finished, ModelError, TextDelta, Usage
from assessor.remembering import taught_only_by
from assessor.storable import storable
from chat.choices import Choices, chosen
from chat.explaining import Why
from chat.models import Conversation, MemoryUse, Message
from chat.responders import Responder, Turn, get_responder
from chat.services.replies import Reply, claim_reply, finish_reply
from chat.toolbox import Toolbox, ToolUse
from memory.connections import in_last_thread, in_thread
from memory.embeddings import EmbeddingError
from memory.errors import Conflict
from memory.memories.schemas import results_out
from memory.models import Space
from memory.policy import PolicyDocument
from memory.recall.recall import Recall, recall

HISTORY_MESSAGES = 20


@dataclass(frozen=True)
class Recalled:
    """What was recalled for the reply: search results as JSON. Comes again, with all of them, when
    the model has searched for more."""

    results: list[dict[str, Any]]


@dataclass(frozen=True)
class Token:
    """A piece of the reply."""

    text: str


@dataclass(frozen=True)
class Tool:
    """The model called a tool: `name`, `arguments`, the `text` it was answered, whether `ok`, the
    `memory` it wrote."""

    call: dict[str, Any]


@dataclass(frozen=True)
class Done:
    """The reply is whole and stored."""

    reply: Reply


@dataclass(frozen=True)
class Failed:
    """The model gave up; what had come is stored. `error` is why, for callers that raise it."""

    reply: Reply
    error: ModelError | EmbeddingError


Event = Recalled | Token | Tool | Done | Failed


@dataclass
class Draft:
    """A reply so far. One that somebody looks at `explains` what was recalled for it."""

    responder: Responder
    explains: bool = False
    recalled: list[dict[str, Any]] = field(default_factory=list)
    memory_ids: list[UUID] = field(default_factory=list)
    recall_ms: float | None = None
    why: Why | None = None
    pieces: list[str] = field(default_factory=list)
    tools: Toolbox | None = None
    usage: Usage | None = None
    is_cut: bool = False
    ended: bool = False

    def found(self, use: ToolUse) -> bool:
        """Notes what a tool put before the model; whether any of it is new there."""
        new = [result for result in use.found if result.memory.pk not in self.memory_ids]
        self.recalled = self.recalled + results_out(new)
        self.memory_ids = self.memory_ids + [result.memory.pk for result in new]
        return bool(new)

    def reply(self, state: str, error: str = "") -> Reply:
        usage, why = self.usage, self.why
        return Reply(
            state=state,
            content=storable("".join(self.pieces)),
            model=self.responder.label,
            recalled=why.ranked(self.recalled) if why else self.recalled,
            missed=why.missed(self.memory_ids) if why else [],
            memory_ids=self.memory_ids,
            recall_ms=self.recall_ms,
            tool_calls=[use.shown() for use in self.tools.uses] if self.tools else [],
            usage=(
                {
                    "prompt_tokens": usage.prompt_tokens,
                    "completion_tokens": usage.completion_tokens,
                }
                if usage
                else None
            ),
            error=storable(error),
            is_cut=self.is_cut,
        )


Recalling = Awaitable[Recall | None]


def begin_recall(
    *,
    space: Space,
    text: str,
    conversation_id: UUID | None,
    now: datetime,
    **choices: Unpack[Choices],
) -> Recalling:
    """Recalls for what is being said, while that is still being stored.

    The arguments are begin_turn's. The result goes to stream_reply; a failure waits there too.
    """

    def look() -> Recall | None:
        made = chosen(choices)
        held: tuple[str, str] | None = None
        if conversation_id is not None:
            rows = Conversation.objects.in_space(space).filter(pk=conversation_id)
            held = rows.values_list("memory", "profile").first()
        memory, profile = held or (MemoryUse.ON, "")
        memory, profile = made.get("memory", memory), made.get("profile", profile)
        return _recall(space, text, now, memory, profile)

    recalling = asyncio.ensure_future(in_thread(look))
    # When storing fails nobody asks for this one's failure any more.
    recalling.add_done_callback(lambda done: done.cancelled() or done.exception())
    return recalling


def _recall(
    space: Space,
    text: str,
    now: datetime,
    memory: str,
    profile: str,
    without: Collection[UUID] = (),
) -> Recall | None:
    if memory == MemoryUse.OFF:
        return None
    return recall(space=space, query=text, now=now, profile=profile or None, without=without)


def _recall_for(message: Message, text: str) -> Recall | None:
    """What fits the text; not what the same words have taught when they were answered before."""
    space, conversation = message.space, message.conversation
    before = Message.objects.in_space(space).answered_before(message)
    own: list[UUID] = []
    if before.exists():
        judged = [message.assessment_id] if message.assessment_id else []
        taught = taught_only_by(space, judged, before.memories_written())
        own = list(taught.values_list("pk", flat=True))
    now = timezone.now()
    return _recall(space, text, now, conversation.memory, conversation.profile, without=own)


async def stream_reply(
    message: Message,
    recalling: Recalling | None = None,
    history: Sequence[ChatMessage] | None = None,
    *,
    explain: bool = False,
) -> AsyncGenerator[Event]:
    """Answers the turn whose empty reply this is, with what `recalling` finds, if it has begun, and
    by the `history` that whoever stored the turn has read.

    With `explain` each memory's ranks, and what nearly was, are stored with it (chat.explaining).
    Raises Conflict if somebody else answers it.
    """
    claim = asyncio.ensure_future(_claimed(message))
    draft = Draft(get_responder(message.conversation.model), explain)
    try:
        if not await asyncio.shield(claim):
            raise Conflict("This reply is already being written.")
        if not history:
            history = await in_thread(said_so_far, message)
        if recalling is None:
            recalling = in_thread(_recall_for, message, history[-1].content)
        writing = written(message.space, message.conversation, history, draft, recalling)
        async with aclosing(writing) as events:
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


async def _claimed(message: Message) -> bool:
    """Whether this reply is ours to write: it was made for us, or nobody has taken it yet."""
    if message.state == Message.State.STREAMING:
        return True
    return await in_thread(claim_reply, space=message.space, message_id=message.pk)


async def written(
    space: Space,
    conversation: Conversation,
    history: Sequence[ChatMessage],
    draft: Draft,
    recalling: Recalling | None = None,
) -> AsyncGenerator[Recalled | Token | Tool]:
    """Recalls and answers by what the conversation goes by, and notes both in the draft."""
    now, memory, profile = timezone.now(), conversation.memory, conversation.profile
    if recalling is None:
        said = history[-1].content
        found = await in_thread(_recall, space, said, now, memory, profile)
    else:
        found = await recalling
    if found is not None:
        draft.recalled, draft.memory_ids = results_out(found.results), found.memory_ids
        draft.recall_ms = found.took_ms
        draft.why = Why(found) if draft.explains else None
    yield Recalled(draft.recalled)
    rules = found.policy.document if found else PolicyDocument()
    said, model = history[-1].content, draft.responder.label
    draft.tools = Toolbox(conversation, said, rules, model, now)
    turn = Turn(
        history,
        found.results if found else [],
        now,
        memory,
        system_prompt=conversation.system_prompt,
        rules=rules,
        tools=draft.tools,
    )
    async with aclosing(_answered(turn, draft)) as events:
        async for happened in events:
            yield happened


async def _answered(turn: Turn, draft: Draft) -> AsyncGenerator[Recalled | Token | Tool]:
    async with aclosing(draft.responder.stream(turn)) as chunks:
        async for chunk in chunks:
            if isinstance(chunk, TextDelta):
                draft.pieces.append(chunk.text)
                yield Token(storable(chunk.text))
                if draft.why:
                    draft.why.begin()
            elif isinstance(chunk, ToolUse):
                yield Tool(chunk.shown())
                if draft.found(chunk):
                    yield Recalled(draft.recalled)
            elif isinstance(chunk, Finished):
                draft.usage, draft.is_cut = chunk.usage, chunk.finish_reason == "length"
    if draft.why:
        await draft.why.wait()


async def _finish(message: Message, draft: Draft, state: str, error: str = "") -> Reply:
    """Stores the end of the reply, even if the reader leaves at this very moment."""
    reply = draft.reply(state, error)
    stored = in_last_thread(finish_reply, message=message, reply=reply, now=timezone.now())
    await asyncio.shield(stored)
    draft.ended = True
    return reply


def said_so_far(message: Message) -> list[ChatMessage]:
    """What was said last, the question at the end."""
    earlier = Message.objects.in_space(message.space).of(message.conversation)
    said = earlier.shown().filter(position__lt=message.position).exclude(content="")
    latest = said.order_by("-position").values_list("role", "content")[:HISTORY_MESSAGES]
    return [
        ChatMessage("user" if role == "user" else "assistant", content)
        for role, content in reversed(latest)
    ]
