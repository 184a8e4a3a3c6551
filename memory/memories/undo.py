"""Taking back what memories.bulk did to many memories: exactly that, and nothing else.

What an action did is told by its moment and its actor, as the history has them: nothing else is
done by the same person at the very same microsecond. A memory that was changed since in what the
action had changed stays as it is. What is taken back is a change of its own, with its own history.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef

from memory.actors import Actor
from memory.memories.bulk import locked
from memory.models import BinReason, Memory, MemoryEvent, MemoryRevision, Reason, Space, Status
from memory.models.history import Action, HistoryQuerySet
from memory.models.policies import current_policy
from memory.store.history import record
from memory.store.services import keep_revisions

REASON = Reason("undone")
_PINS = (Action.PINNED, Action.UNPINNED)


@dataclass(frozen=True)
class Undone:
    """How many memories are as they were before, and how many had been changed since."""

    back: int
    left: int


@transaction.atomic
def undo_pin(*, space: Space, at: datetime, actor: Actor, now: datetime) -> Undone:
    """Takes back what `pin_memories` did at that moment, where no later one has done it anew."""
    done = _done(space, at, actor).filter(action__in=_PINS)
    later = MemoryEvent.objects.in_space(space).filter(
        memory_id=OuterRef("memory_id"), action__in=_PINS, id__gt=OuterRef("pk")
    )
    pinned = {
        memory_id: action == Action.PINNED
        for memory_id, action in done.exclude(Exists(later)).values_list("memory_id", "action")
    }
    memories = locked(Memory.objects.in_space(space).live().filter(pk__in=pinned))
    memories = [memory for memory in memories if memory.pinned == pinned[memory.pk]]
    for memory in memories:
        memory.pinned = not memory.pinned
    Memory.objects.in_space(space).bulk_update(memories, ["pinned"])
    for action in _PINS:
        changed = [memory for memory in memories if memory.pinned == (action == Action.PINNED)]
        _note(space, changed, action, actor, now)
    return Undone(len(memories), done.count() - len(memories))


@transaction.atomic
def undo_deletion(*, space: Space, at: datetime, actor: Actor, now: datetime) -> Undone:
    """Takes back what `delete_memories` did at that moment: what still lies in the bin as it was
    put there is alive again, its clocks where they stood.

    Unlike restoring, which begins them anew: an undo leaves nothing behind.
    """
    done = _done(space, at, actor).filter(action=Action.DELETED)
    binned = Memory.objects.in_space(space).binned()
    rows = binned.filter(pk__in=done.values("memory_id"), binned_at=at)
    memories = locked(rows.filter(bin_reason=BinReason.DELETED))
    ids = [memory.pk for memory in memories]
    Memory.objects.in_space(space).filter(pk__in=ids).update(
        status=Status.LIVE, binned_at=None, bin_reason="", importance_then=None, rank_then=None
    )
    # The line of a return says why it had gone (models.history.removals).
    _note(space, memories, Action.RESTORED, actor, now, reason=BinReason.DELETED.value)
    return Undone(len(memories), done.count() - len(memories))


@transaction.atomic
def undo_revision(*, space: Space, at: datetime, actor: Actor, now: datetime) -> Undone:
    """Takes back the tags or the type that were changed at that moment, where nothing has revised
    the memory since."""
    revisions = MemoryRevision.objects.filter(
        space_id=space.pk, replaced_at=at, actor_type=actor.type, actor_name=actor.name
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
    return Undone(len(memories), len(before) - len(memories))


def _only_labels(memory: Memory, past: MemoryRevision) -> bool:
    """Whether the memory is the very next revision, and differs in tags and type at most."""
    same = all(getattr(memory, name) == getattr(past, name) for name in ("content", "topics"))
    return same and memory.revision == past.number + 1


def _done(space: Space, at: datetime, actor: Actor) -> HistoryQuerySet:
    events: HistoryQuerySet = MemoryEvent.objects.in_space(space)
    return events.filter(at=at, actor_type=actor.type, actor_name=actor.name)


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
