"""Taking back that something was learned: what it had superseded comes back, if nothing else has
taken its place; and undoing that.

Other than deleting: who deletes a memory that was right wishes for no older one in its place.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import transaction

from memory.actors import Actor
from memory.models import BinReason, Memory, MemoryEvent, Reason, Space, Status
from memory.models.history import Action
from memory.recall.similar import Neighbour, nearest_live, vector_of
from memory.reconciliation.rules import replaces, restates
from memory.reconciliation.services import one_at_a_time
from memory.retention.recycle_bin import move_to_bin, restore_memories


@transaction.atomic
def discard_memory(
    *, space: Space, memory_id: UUID, actor: Actor, now: datetime, reason: str
) -> Memory:
    """Lets a memory go that should not have been made. Raises NotFound."""
    one_at_a_time(space)
    memory = move_to_bin(
        space=space,
        memory_id=memory_id,
        why=BinReason.DELETED,
        actor=actor,
        now=now,
        reason=reason,
    )
    if memory.binned_at == now:  # else it lay there already
        older = [gone.pk for gone in _superseded_by(memory) if not _replaced(space, gone)]
        restore_memories(space=space, memory_ids=older, actor=actor, now=now)
    return memory


@transaction.atomic
def undo_discard(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> None:
    """Takes a discarded memory back; what had come back for it gives way again. One that is not in
    the bin stays as it is."""
    one_at_a_time(space)
    memory = Memory.objects.in_space(space).binned().filter(pk=memory_id).first()
    if memory is not None and memory.binned_at is not None:
        take_place_again(
            space=space, memory_ids=[memory_id], gone_at=memory.binned_at, actor=actor, now=now
        )


@transaction.atomic
def take_place_again(
    *, space: Space, memory_ids: Collection[UUID], gone_at: datetime, actor: Actor, now: datetime
) -> None:
    """Takes back memories that went at that moment; what came back for them then gives way.
    Raises NotFound, or Conflict if one is not in the bin."""
    came_back = Memory.objects.in_space(space).live().filter(restored_at=gone_at)
    for older in came_back.exclude(pk__in=memory_ids).order_by("pk"):
        move_to_bin(
            space=space,
            memory_id=older.pk,
            why=BinReason.SUPERSEDED,
            actor=actor,
            now=now,
            reason=Reason("superseder_restored"),
        )
    restore_memories(space=space, memory_ids=memory_ids, actor=actor, now=now)


def _superseded_by(memory: Memory) -> list[Memory]:
    """What lies in the bin since the very moment at which the memory came, or came back."""
    events = MemoryEvent.objects.filter(space_id=memory.space_id, memory_id=memory.pk)
    came = events.filter(action__in=[Action.CREATED, Action.APPROVED, Action.RESTORED])
    rows = Memory.objects.filter(space_id=memory.space_id, status=Status.BINNED)
    gone = rows.filter(bin_reason=BinReason.SUPERSEDED, binned_at__in=came.values("at"))
    return list(gone.exclude(pk=memory.pk).order_by("pk"))


def _replaced(space: Space, gone: Memory) -> bool:
    """Whether a live memory says the same, or that it is over."""
    if (vector := vector_of(space, gone.pk)) is None:
        return False
    return any(
        replaces(near.memory.content, it := Neighbour(gone, near.similarity))
        or restates(near.memory.content, near.memory.memory_type, it)
        for near in nearest_live(space, vector)
    )
