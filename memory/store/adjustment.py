"""The adjustment of a memory's importance: its parts, its reset, and the undo of a reset."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from memory.formulas.importance import ADJUSTMENT_BOUND, ADJUSTMENT_DOUBT, ADJUSTMENT_WEIGHTS
from memory.models import Memory, MemoryEvent, Reason
from memory.models.history import Action, HistoryQuerySet
from memory.models.learned import COUNTS
from memory.models.policies import current_policy
from memory.store.feedback import add_counts
from memory.store.history import record
from memory.store.services import lock_memory

RESETS = (Action.RESET, Action.UNRESET)


@dataclass(frozen=True)
class AdjustmentPart:
    """The part of an adjustment that `count` events of one kind give; the parts add up to it."""

    kind: str
    count: int
    value: float


def adjustment_parts(memory: Memory) -> list[AdjustmentPart]:
    """Return the parts of the memory's adjustment, one for each kind that has events."""
    counts = dict(zip(ADJUSTMENT_WEIGHTS, memory.counts, strict=True))
    total = ADJUSTMENT_DOUBT + sum(abs(ADJUSTMENT_WEIGHTS[kind]) * n for kind, n in counts.items())
    return [
        AdjustmentPart(kind, n, ADJUSTMENT_BOUND * ADJUSTMENT_WEIGHTS[kind] * n / total)
        for kind, n in counts.items()
        if n
    ]


@transaction.atomic
def reset_adjustment(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> int:
    """Set the memory's counts to 0, so that it has no adjustment. The history keeps the counts.

    Return 1, or 0 if there is nothing to reset. Raises NotFound.
    """
    memory = lock_memory(space, memory_id)
    if not any(memory.counts):
        return 0
    reason = Reason("counts", ", ".join(map(str, memory.counts)))
    rows = Memory.objects.in_space(space).filter(pk=memory_id)
    rows.update(**dict.fromkeys(COUNTS, 0))
    record(
        memories=[memory],
        action=Action.RESET,
        actor=actor,
        policy=current_policy(space),
        now=now,
        reason=reason,
    )
    return 1


def undo_resets(space: Space, done: HistoryQuerySet, actor: Actor, now: datetime) -> int:
    """Add the counts again that these resets removed, unless they were undone already; return the
    number of memories. Events counted since the reset stay counted."""
    resets = done.filter(action=Action.RESET)
    ids = list(resets.values_list("memory_id", flat=True))
    # Locked before the history is read, so that two undos of one reset do not both add.
    rows = Memory.objects.in_space(space).filter(pk__in=ids).defer("search").order_by("pk")
    memories = {memory.pk: memory for memory in rows.select_for_update(no_key=True)}
    last = [event for event in resets.not_followed_by(*RESETS) if event.memory_id in memories]
    for event in last:
        _add_again(event)
    record(
        memories=[memories[event.memory_id] for event in last],
        action=Action.UNRESET,
        actor=actor,
        policy=current_policy(space),
        now=now,
        reason=Reason("undone"),
    )
    return len(last)


def _add_again(event: MemoryEvent) -> None:
    numbers = map(int, event.reason_argument.split(", "))
    counts = dict(zip(COUNTS, numbers, strict=True))
    add_counts(space_id=event.space_id, memory_ids=[event.memory_id], **counts)
