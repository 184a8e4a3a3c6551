"""Undo of an action of memories.bulk on many memories.

A memory whose affected fields were changed since is left unchanged. An undo is a change of its own,
with its own history.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Subquery

from accounts.models import Space
from foundation.actors import Actor
from memory.memories.bulk import PINS, locked, pin_memories, record_all, revise_all
from memory.models import BinReason, Memory, MemoryEvent, MemoryRevision, Reason, Status
from memory.models.history import Action, HistoryQuerySet
from memory.store.adjustment import undo_resets

REASON = Reason("undone")


@dataclass(frozen=True)
class Undone:
    """The numbers of memories undone (`back`) and left because they were changed since (`left`)."""

    back: int
    left: int


@transaction.atomic
def undo(*, space: Space, action_id: UUID, actor: Actor, now: datetime) -> Undone:
    """Undo what the actor pinned, unpinned, deleted, tagged, retyped or reset in this action."""
    events: HistoryQuerySet = MemoryEvent.objects.in_space(space).of_action(action_id, actor)
    done = events.filter(action__in=[*PINS, Action.DELETED, Action.REVISED, Action.RESET])
    parts = (_undo_pins, _undo_deletion, _undo_labels, undo_resets)
    back = sum(part(space, done, actor.in_action(), now) for part in parts)
    return Undone(back, done.count() - back)


def _undo_pins(space: Space, done: HistoryQuerySet, actor: Actor, now: datetime) -> int:
    """Undo the pinning or unpinning of memories that were neither pinned nor unpinned since."""
    last = done.not_followed_by(*PINS)
    return sum(
        pin_memories(
            space=space,
            memory_ids=last.filter(action=action).values_list("memory_id", flat=True),
            pinned=action == Action.UNPINNED,
            actor=actor,
            now=now,
            reason=REASON,
        )
        for action in PINS
    )


def _undo_deletion(space: Space, done: HistoryQuerySet, actor: Actor, now: datetime) -> int:
    """Move memories that are still in the bin from this action back to the live ones.

    Unlike a restore, this does not restart their lifetimes.
    """
    deleted = done.filter(action=Action.DELETED).unmoved().in_space(space)
    memories = locked(deleted.binned().filter(bin_reason=BinReason.DELETED))
    Memory.objects.in_space(space).filter(pk__in=[memory.pk for memory in memories]).update(
        status=Status.LIVE, binned_at=None, bin_reason="", importance_then=None, rank_then=None
    )
    # The event of a restore records the reason of the removal (HistoryQuerySet.removals).
    return record_all(space, memories, Action.RESTORED, actor, now, BinReason.DELETED.value)


def _undo_labels(space: Space, done: HistoryQuerySet, actor: Actor, now: datetime) -> int:
    """Restore the tags and the type of memories that were not revised since."""
    revised = done.filter(action=Action.REVISED)
    past = MemoryRevision.objects.filter(
        space_id=space.pk, memory_id=OuterRef("pk"), number=OuterRef("revision") - 1
    )
    only_labels = past.filter(
        action_id__in=revised.values("action_id"),
        content=OuterRef("content"),
        topics=OuterRef("topics"),
    )
    rows = Memory.objects.in_space(space).live().filter(pk__in=revised.values("memory_id"))
    before = {name: Subquery(past.values(name)) for name in ("tags", "memory_type")}
    return revise_all(space, locked(rows.filter(Exists(only_labels))), actor, now, REASON, **before)
