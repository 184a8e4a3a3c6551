"""Tools that change memories, by the same services as every other API.

A model that writes with a tool is no more careful than an assessor model. So its words are masked
and reconciled in the same way, and may be sent to review.
"""

from collections.abc import Callable, Sequence

from foundation.errors import Conflict, FieldError, InvalidArguments
from foundation.readers import EVERYONE
from memory.drafts import MemoryChange, MemoryDraft, Source
from memory.models import BinReason, Memory, Status
from memory.recall.standing import owned_by_speaker
from memory.reconciliation.rules import Verdict
from memory.references import changeable, readable
from memory.retention.recycle_bin import move_to_bin
from memory.store.schemas import MemoryOut
from memory.store.services import revise_memory
from memory.text.event_dates import with_days
from memory.tools import texts, write_guard
from memory.tools.arguments import MemoryWrite, OneMemory, Remember, UpdateMemory
from memory.tools.base import TOOL, Caller, ToolAnswer
from memory.tools.saving import Given, ready, save

_DONE = {
    Verdict.ADD: "Saved",
    Verdict.REINFORCE: "Already known, and reinforced",
    Verdict.KNOWN: "Already known",
    Verdict.REVISE: "Added to a known memory",
    Verdict.SUPERSEDE: "Saved, replacing an older memory",
}
_UPDATED = "Already known, so no second memory was saved; type and importance are updated"
_WAITING = {
    Status.REVIEW: "Sent to review, not used until a person approves it",
    Status.BINNED: "Not saved: a person rejected it before",
}


def remember(caller: Caller, asked: Remember) -> ToolAnswer:
    """Save a statement whose type and importance are assessed (seed 000: not given by the
    model)."""
    content, tags = _masked(caller, asked.content, asked.tags or [])
    draft = write_guard.assessed(caller.space, MemoryDraft(content=content, tags=tags))
    memory, done = _keep(caller, draft, Given("remember", tags=tuple(draft.tags)))
    return _answer(caller, done, memory)


def memory_write(caller: Caller, asked: MemoryWrite) -> ToolAnswer:
    """Save a statement with an optional type and importance (seed 002)."""
    content, tags = _masked(caller, asked.content, asked.tags or [])
    draft = MemoryDraft(
        content=content,
        memory_type=asked.memory_type,
        importance=asked.importance,
        tags=tags,
    )
    given = Given("memory_write", asked.memory_type, asked.importance, tuple(draft.tags))
    memory, done = _keep(caller, draft, given)
    return _answer(caller, done, memory, texts.typed)


def update_memory(caller: Caller, asked: UpdateMemory) -> ToolAnswer:
    """Change text or tags of a memory; its old values are kept as a revision."""
    if asked.content is None and asked.tags is None:
        raise InvalidArguments(FieldError("content", "give content, tags or both"))
    memory = changeable(caller.space, caller.reader, asked.memory_id, field="memory_id")
    content, tags = _masked(caller, asked.content or "", asked.tags or [])
    change = MemoryChange(
        content=None if asked.content is None else content,
        tags=None if asked.tags is None else tags,
    )
    if reason := _review_reason(caller, content, tags):
        raise Conflict(f"Nothing was changed: this text needs a person's approval. {reason}")
    revised = revise_memory(
        space=caller.space,
        memory_id=memory.pk,
        change=change,
        actor=caller.actor,
        now=caller.now,
        reason="update_memory",
    )
    return _answer(caller, "Updated", revised)


def forget(caller: Caller, asked: OneMemory) -> ToolAnswer:
    """Move a memory to the bin, from which a person can restore it."""
    memory = changeable(caller.space, caller.reader, asked.memory_id, field="memory_id")
    move_to_bin(
        space=caller.space,
        memory_id=memory.pk,
        why=BinReason.DELETED,
        actor=caller.actor,
        now=caller.now,
        reason="forget",
    )
    return _answer(caller, "Moved to the bin", memory)


def _keep(caller: Caller, draft: MemoryDraft, given: Given) -> tuple[Memory, str]:
    """Return the memory that now contains the statement, and the outcome in words."""
    origin = {
        "source": Source(role=TOOL, conversation_id=caller.conversation_id),
        "user_id": caller.reader.user_id,
        "agent_id": caller.agent_id,
        "session_id": caller.session_id,
    }
    draft = owned_by_speaker(caller.space, draft.model_copy(update=origin), caller.person)
    statement = ready(
        space=caller.space,
        draft=draft,
        given=given,
        held=_review_reason(caller, draft.content, draft.tags),
        now=caller.now,
    )
    outcome = save(statement, actor=caller.actor, now=caller.now)
    done = _DONE[outcome.verdict]
    if outcome.verdict in {Verdict.REINFORCE, Verdict.KNOWN} and given.names_values:
        done = _UPDATED
    return outcome.memory, _WAITING.get(Status(outcome.memory.status), done)


def _masked(caller: Caller, content: str, tags: Sequence[str]) -> tuple[str, list[str]]:
    content, *tags = write_guard.masked(caller.space, [content, *tags], said=caller.said)
    return with_days(content, caller.now), tags


def _review_reason(caller: Caller, content: str, tags: Sequence[str]) -> str | None:
    words = "\n".join([content, *tags])
    if caller.review_reason is None:
        return write_guard.review_reason(caller.space, words)
    return caller.review_reason(words)


def _answer(
    caller: Caller, done: str, memory: Memory, text: Callable[[Memory], str] = texts.plain
) -> ToolAnswer:
    """Return the outcome with the memory as currently stored, and its lifetime if it is active."""
    # The speaker's own memory may have come from a shared conversation.
    stored = readable(caller.space, EVERYONE, as_of=caller.now).get(pk=memory.pk)
    until = f"; {texts.lifetime(stored, caller.now)}" if stored.status == Status.LIVE else ""
    data = MemoryOut.from_orm(stored).model_dump(mode="json")
    return ToolAnswer(f"{done}: {text(stored)}{until}", data)
