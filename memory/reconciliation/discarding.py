"""Discards a wrong memory and restores the memories it superseded. A discard can be undone.

A superseded memory is restored only if no other active memory has replaced it. Deleting is
different: a person who deletes a correct memory does not want the older one back.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from memory.models import BinReason, Memory, MemoryEvent, Reason, Status
from memory.models.history import MOVES, Action
from memory.recall.similar import Neighbour, nearest_live, vector_of
from memory.reconciliation.rules import replaces, restates
from memory.reconciliation.services import one_at_a_time
from memory.retention.recycle_bin import move_to_bin, restore_memories
from memory.store.services import lock_memory

_CAME = (Action.CREATED, Action.APPROVED, Action.RESTORED)


@transaction.atomic
def discard_memory(
    *, space: Space, memory_id: UUID, actor: Actor, now: datetime, reason: str
) -> Memory:
    """Move a memory that should not have been created to the bin, and restore what it superseded.
    Raises NotFound."""
    one_at_a_time(space)
    memory, actor = lock_memory(space, memory_id), actor.in_action()
    if memory.status == Status.BINNED:
        return memory
    memory = move_to_bin(
        space=space,
        memory_id=memory_id,
        why=BinReason.DELETED,
        actor=actor,
        now=now,
        reason=reason,
    )
    older = [gone.pk for gone in superseded_by(memory) if not _replaced(space, gone)]
    restore_memories(space=space, memory_ids=older, actor=actor, now=now)
    return memory


@transaction.atomic
def undo_discard(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> None:
    """Restore a discarded memory and move the memories restored in its place back to the bin. A
    memory that is not in the bin stays unchanged."""
    one_at_a_time(space)
    if Memory.objects.in_space(space).binned().filter(pk=memory_id).exists():
        take_place_again(space=space, memory_ids=[memory_id], actor=actor, now=now)


@transaction.atomic
def take_place_again(
    *, space: Space, memory_ids: Collection[UUID], actor: Actor, now: datetime
) -> None:
    """Restore deleted memories; older memories that were restored in their place return to the bin.
    Raises NotFound, or Conflict if one is not in the bin."""
    actor, events = actor.in_action(), MemoryEvent.objects.in_space(space)
    went = events.filter(memory_id__in=memory_ids, action=Action.DELETED).not_followed_by(*MOVES)
    came_back = events.beside(went).filter(action=Action.RESTORED).unmoved().in_space(space)
    for older in came_back.live().exclude(pk__in=memory_ids).order_by("pk"):
        move_to_bin(
            space=space,
            memory_id=older.pk,
            why=BinReason.SUPERSEDED,
            actor=actor,
            now=now,
            reason=Reason("superseder_restored"),
        )
    restore_memories(space=space, memory_ids=memory_ids, actor=actor, now=now)


def superseded_by(memory: Memory) -> list[Memory]:
    """Return the memories superseded by the action that created, approved or restored this memory,
    if they are still in the bin."""
    events = MemoryEvent.objects.filter(space_id=memory.space_id)
    came = events.filter(memory_id=memory.pk, action__in=_CAME)
    gone = events.beside(came).filter(action=Action.DELETED).unmoved().exclude(pk=memory.pk)
    superseded = gone.filter(space_id=memory.space_id, bin_reason=BinReason.SUPERSEDED)
    return list(superseded.order_by("pk"))


def _replaced(space: Space, gone: Memory) -> bool:
    """Return true if a live memory restates the deleted one or replaces it."""
    if (vector := vector_of(space, gone.pk)) is None:
        return False
    return any(
        replaces(near.memory.content, it := Neighbour(gone, near.similarity))
        or restates(near.memory.content, near.memory.memory_type, it)
        for near in nearest_live(space, vector, gone.user_id)
    )
