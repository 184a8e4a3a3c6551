"""Undo of what memories.bulk did to many memories in one action: of exactly that.

A memory that was changed since in what the action had changed stays as it is. An undo is a change
of its own, with its own history.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from memory.actors import Actor
from memory.memories.bulk import locked
from memory.models import BinReason, Memory, MemoryEvent, MemoryRevision, Space, Status
from memory.models.history import MOVES, Action, HistoryQuerySet
from memory.models.policies import current_policy
from memory.store.history import record
from memory.store.services import keep_revisions

REASON = "undone"
_PINS = (Action.PINNED, Action.UNPINNED)
_UNDONE = (*_PINS, Action.DELETED, Action.REVISED)


@dataclass(frozen=True)
class Undone:
    """How many memories are as they were before, and how many had been changed since."""

    back: int
    left: int


@transaction.atomic
def undo(*, space: Space, action_id: UUID, actor: Actor, now: datetime) -> Undone:
    """Undo what the actor pinned, unpinned, deleted, tagged or retyped in this action."""
    events: HistoryQuerySet = MemoryEvent.objects.in_space(space)
    done = events.of_action(action_id, actor).filter(action__in=_UNDONE)
    actor = actor.in_action()
    back = sum(part(space, done, actor, now) for part in (_undo_pins, _undo_deletion, _undo_labels))
    return Undone(back, done.count() - back)


def _undo_pins(space: Space, done: HistoryQuerySet, actor: Actor, now: datetime) -> int:
    """Undo the pinning or unpinning of memories that were neither pinned nor unpinned since."""
    undone = 0
    for action, opposite in (_PINS, _PINS[::-1]):
        was_pinned = action == Action.PINNED
        lines = done.filter(action=action).not_followed_by(*_PINS)
        rows = Memory.objects.in_space(space).live().filter(pk__in=lines.values("memory_id"))
        memories = locked(rows.filter(pinned=was_pinned))
        for memory in memories:
            memory.pinned = not was_pinned
        Memory.objects.in_space(space).bulk_update(memories, ["pinned"])
        _note(space, memories, opposite, actor, now)
        undone += len(memories)
    return undone


def _undo_deletion(space: Space, done: HistoryQuerySet, actor: Actor, now: datetime) -> int:
    """Make memories live again that still lie in the bin since their deletion.

    Their clocks go on as if nothing had happened, other than when they are restored.
    """
    lines = done.filter(action=Action.DELETED).not_followed_by(*MOVES)
    binned = Memory.objects.in_space(space).binned().filter(bin_reason=BinReason.DELETED)
    memories = locked(binned.filter(pk__in=lines.values("memory_id")))
    Memory.objects.in_space(space).filter(pk__in=[memory.pk for memory in memories]).update(
        status=Status.LIVE, binned_at=None, bin_reason="", importance_then=None, rank_then=None
    )
    # The line of a return says why it had gone (HistoryQuerySet.removals).
    _note(space, memories, Action.RESTORED, actor, now, reason=BinReason.DELETED.value)
    return len(memories)


def _undo_labels(space: Space, done: HistoryQuerySet, actor: Actor, now: datetime) -> int:
    """Give memories that nothing has revised since the tags and the type that they had before."""
    revised = done.filter(action=Action.REVISED)
    revisions = MemoryRevision.objects.filter(
        space_id=space.pk,
        memory_id__in=revised.values("memory_id"),
        action_id__in=revised.values("action_id"),
    )
    before = {past.memory_id: past for past in revisions}
    memories = locked(Memory.objects.in_space(space).live().filter(pk__in=before))
    memories = [memory for memory in memories if _only_labels(memory, before[memory.pk])]
    keep_revisions(memories, actor=actor, now=now, reason=REASON)
    for memory in memories:
        memory.tags = before[memory.pk].tags
        memory.memory_type = before[memory.pk].memory_type
        memory.revision += 1
    fields = ["tags", "memory_type", "revision"]
    Memory.objects.in_space(space).bulk_update(memories, fields)
    _note(space, memories, Action.REVISED, actor, now)
    return len(memories)


def _only_labels(memory: Memory, past: MemoryRevision) -> bool:
    """Whether the memory is the very next revision, and differs in tags and type at most."""
    same = all(getattr(memory, name) == getattr(past, name) for name in ("content", "topics"))
    return same and memory.revision == past.number + 1


def _note(
    space: Space,
    memories: Sequence[Memory],
    action: Action,
    actor: Actor,
    now: datetime,
    reason: str = REASON,
) -> None:
    policy = current_policy(space)
    record(memories=memories, action=action, actor=actor, policy=policy, now=now, reason=reason)
