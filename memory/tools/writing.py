"""Tools that change memories, by the same services as every other API.

A model that writes by a tool is no more careful than an assessor model. Its words are masked and
reconciled in the same way, and may be sent to review.
"""

from collections.abc import Sequence

from memory.access.references import one, readable
from memory.drafts import MemoryChange, MemoryDraft, Source
from memory.errors import Conflict, FieldError, InvalidArguments
from memory.models import BinReason, Memory, Status
from memory.reconciliation.rules import Verdict
from memory.retention.recycle_bin import move_to_bin
from memory.review.services import hold_memory, remember_or_hold
from memory.store.schemas import MemoryOut
from memory.store.services import prepare_memories, revise_memory
from memory.tools import texts, write_guard
from memory.tools.arguments import MemoryWrite, OneMemory, Remember, UpdateMemory
from memory.tools.base import TOOL, Caller, ToolAnswer

_DONE = {
    Verdict.ADD: "Remembered",
    Verdict.REINFORCE: "Known already, now held more firmly",
    Verdict.REVISE: "Added to what was known",
    Verdict.SUPERSEDE: "Remembered, in place of what it replaces",
}
_WAITING = {
    Status.REVIEW: "Held for review, not remembered before a person has let it in",
    Status.BINNED: "Not remembered: a person has turned it away before",
}


def remember(caller: Caller, asked: Remember) -> ToolAnswer:
    """Save a statement whose type and importance are assessed (seed 000: not given by the
    model)."""
    content, tags = _masked(caller, asked.content, asked.tags or [])
    draft = write_guard.weighed(MemoryDraft(content=content, tags=tags))
    memory, done = _keep(caller, draft)
    return ToolAnswer(f"{done}: {texts.plain(memory)}", _json(caller, memory))


def memory_write(caller: Caller, asked: MemoryWrite) -> ToolAnswer:
    """Save a statement with an optional type and importance (seed 002)."""
    content, tags = _masked(caller, asked.content, asked.tags or [])
    draft = MemoryDraft(
        content=content,
        memory_type=asked.memory_type,
        importance=asked.importance,
        tags=tags,
    )
    memory, done = _keep(caller, draft, typed=asked.memory_type is not None)
    return ToolAnswer(f"{done}: {texts.typed(memory)}", _json(caller, memory))


def update_memory(caller: Caller, asked: UpdateMemory) -> ToolAnswer:
    """Change text or tags of a memory; its old values are kept as a revision."""
    if asked.content is None and asked.tags is None:
        raise InvalidArguments(FieldError("content", "give content, tags or both"))
    memory = one(caller.space, asked.memory_id, field="memory_id")
    content, tags = _masked(caller, asked.content or "", asked.tags or [])
    change = MemoryChange(
        content=None if asked.content is None else content,
        tags=None if asked.tags is None else tags,
    )
    if reason := _held_because(caller, content, tags):
        raise Conflict(f"Nothing was changed: this text needs a person's approval. {reason}")
    revised = revise_memory(
        space=caller.space,
        memory_id=memory.pk,
        change=change,
        actor=caller.actor,
        now=caller.now,
        reason="update_memory",
    )
    return ToolAnswer(f"Changed: {texts.plain(revised)}", _json(caller, revised))


def forget(caller: Caller, asked: OneMemory) -> ToolAnswer:
    """Move a memory to the bin, from which a person can restore it."""
    memory = one(caller.space, asked.memory_id, field="memory_id")
    move_to_bin(
        space=caller.space,
        memory_id=memory.pk,
        why=BinReason.DELETED,
        actor=caller.actor,
        now=caller.now,
        reason="forget",
    )
    return ToolAnswer(f"Forgotten: {texts.plain(memory)}", _json(caller, memory))


def _keep(caller: Caller, draft: MemoryDraft, *, typed: bool = False) -> tuple[Memory, str]:
    """Return the memory that now contains the statement, and the outcome in words. `typed` is true
    if the caller gave the type; otherwise the statement is compared with memories of any type."""
    source = Source(role=TOOL, conversation_id=caller.conversation_id)
    draft = draft.model_copy(update={"source": source})
    prepared = prepare_memories(
        space=caller.space, drafts=[draft], now=caller.now, any_type=not typed
    )
    if reason := _held_because(caller, draft.content, draft.tags):
        memory = hold_memory(prepared=prepared, reason=reason, actor=caller.actor, now=caller.now)
        done = _DONE[Verdict.ADD]
    else:
        outcome = remember_or_hold(prepared=prepared, actor=caller.actor, now=caller.now)
        memory, done = outcome.memory, _DONE[outcome.verdict]
    return memory, _WAITING.get(Status(memory.status), done)


def _masked(caller: Caller, content: str, tags: Sequence[str]) -> tuple[str, list[str]]:
    content, *tags = write_guard.masked(caller.space, [content, *tags], said=caller.said)
    return content, tags


def _held_because(caller: Caller, content: str, tags: Sequence[str]) -> str | None:
    words = "\n".join([content, *tags])
    if caller.held_because is None:
        return write_guard.held_because(caller.space, words)
    return caller.held_because(words)


def _json(caller: Caller, memory: Memory) -> dict[str, object]:
    """Return the memory as currently stored."""
    stored = readable(caller.space, as_of=caller.now).get(pk=memory.pk)
    return MemoryOut.from_orm(stored).model_dump(mode="json")
