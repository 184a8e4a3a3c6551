"""Tools that change what is remembered, by the same services as every other door.

A model that writes by a tool is no more careful than one that judges: its words are masked and
reconciled as those are, and may have to wait for a person.
"""

from memory.drafts import MemoryChange, MemoryDraft, Source
from memory.errors import Conflict, FieldError, InvalidArguments
from memory.models import BinReason, Memory, Status
from memory.querysets.policies import current_policy
from memory.reconciliation import Verdict
from memory.references import one, readable
from memory.schemas import MemoryOut
from memory.secrets import mask_together
from memory.services.memories import prepare_memories, revise_memory
from memory.services.reconciliation import remember as reconcile
from memory.services.recycle_bin import let_go
from memory.services.review import hold_memory
from memory.tools import texts
from memory.tools.arguments import MemoryWrite, OneMemory, Remember, UpdateMemory
from memory.tools.base import TOOL, Caller, ToolAnswer

_DONE = {
    Verdict.ADD: "Remembered",
    Verdict.REINFORCE: "Known already, now held more firmly",
    Verdict.REVISE: "Added to what was known",
    Verdict.SUPERSEDE: "Remembered, in place of what it replaces",
}
_HELD = "Held for review, not remembered before a person has let it in"
_REJECTED = "Not remembered: a person has turned it away before"


def remember(caller: Caller, asked: Remember) -> ToolAnswer:
    """Keeps a statement; what it weighs is its type's default until it is judged."""
    memory, done = _keep(caller, MemoryDraft(content=asked.content, tags=asked.tags or []))
    return ToolAnswer(f"{done}: {texts.plain(memory)}", _json(caller, memory))


def memory_write(caller: Caller, asked: MemoryWrite) -> ToolAnswer:
    """Keeps a statement of which the caller may say type and importance (seed 002)."""
    draft = MemoryDraft(
        content=asked.content,
        memory_type=asked.memory_type,
        importance=asked.importance,
        tags=asked.tags or [],
    )
    memory, done = _keep(caller, draft)
    return ToolAnswer(f"{done}: {texts.typed(memory)}", _json(caller, memory))


def update_memory(caller: Caller, asked: UpdateMemory) -> ToolAnswer:
    """Changes text or tags; what it said before stays as a revision."""
    if asked.content is None and asked.tags is None:
        raise InvalidArguments(FieldError("content", "give content, tags, or both"))
    memory = one(caller.space, asked.memory_id, field="memory_id")
    change = MemoryChange(
        content=None if asked.content is None else _masked(caller, asked.content),
        tags=None if asked.tags is None else [_masked(caller, tag) for tag in asked.tags],
    )
    if reason := caller.held_because("\n".join([change.content or "", *(change.tags or [])])):
        raise Conflict(f"It was not changed: only a person may write this. {reason}")
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
    """Lets a memory go into the bin, from which a person can take it back."""
    memory = one(caller.space, asked.memory_id, field="memory_id")
    let_go(
        space=caller.space,
        memory_id=memory.pk,
        why=BinReason.DELETED,
        actor=caller.actor,
        now=caller.now,
        reason="forget",
    )
    return ToolAnswer(f"Forgotten: {texts.plain(memory)}", _json(caller, memory))


def _keep(caller: Caller, draft: MemoryDraft) -> tuple[Memory, str]:
    """The memory that now holds the statement, and what was done in words."""
    draft = draft.model_copy(
        update={
            "content": _masked(caller, draft.content),
            "tags": [_masked(caller, tag) for tag in draft.tags],
            "source": Source(role=TOOL, conversation_id=caller.conversation_id),
        }
    )
    prepared = prepare_memories(space=caller.space, drafts=[draft], now=caller.now)
    if reason := caller.held_because("\n".join([draft.content, *draft.tags])):
        held = hold_memory(prepared=prepared, reason=reason, actor=caller.actor, now=caller.now)
        return held, _HELD if held.status == Status.REVIEW else _REJECTED
    outcome = reconcile(prepared=prepared, actor=caller.actor, now=caller.now)
    return outcome.memory, _DONE[outcome.verdict]


def _masked(caller: Caller, text: str) -> str:
    masks = current_policy(caller.space).document.assessment.mask_secrets
    return mask_together([caller.said, text])[1] if masks else text


def _json(caller: Caller, memory: Memory) -> dict[str, object]:
    """The memory as the database has it now."""
    stored = readable(caller.space, as_of=caller.now).get(pk=memory.pk)
    return MemoryOut.from_orm(stored).model_dump(mode="json")
