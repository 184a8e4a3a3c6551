"""Into the recycle bin by a person's hand, back out of it, and out of it for ever."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F

from memory.actors import Actor
from memory.errors import Conflict, NotFound
from memory.formulas import retention_sql
from memory.models import BinReason, Memory, Space, Status
from memory.models.history import Action
from memory.querysets import retention
from memory.querysets.policies import current_policy
from memory.services.history import importance_now, record
from memory.services.retention import purge


def delete_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Lets a memory go because somebody said so. Raises NotFound."""
    why = BinReason.DELETED
    return let_go(space=space, memory_id=memory_id, why=why, actor=actor, now=now, reason=why.value)


def let_go(
    *,
    space: Space,
    memory_id: UUID,
    why: BinReason,
    actor: Actor,
    now: datetime,
    reason: str,
    action: Action = Action.DELETED,
) -> Memory:
    """Puts a memory into the bin, from which it can be taken back. Raises NotFound."""
    policy = current_policy(space)
    with transaction.atomic():
        [memory] = _lock(space, [memory_id])
        if memory.status == Status.BINNED:
            return memory
        memory.importance_then = importance_now(memory, policy.document.decay, now)
        memory.status, memory.bin_reason, memory.binned_at = Status.BINNED, why, now
        Memory.objects.in_space(space).filter(pk=memory_id).update(
            status=memory.status,
            bin_reason=why,
            binned_at=now,
            importance_then=memory.importance_then,
        )
        record(
            memories=[memory],
            action=action,
            actor=actor,
            policy=policy,
            now=now,
            reason=reason,
        )
    return memory


@transaction.atomic
def restore_memories(
    *, space: Space, memory_ids: Collection[UUID], actor: Actor, now: datetime
) -> None:
    """Takes memories back from the bin, all or none, with a fresh clock each, or they would go
    again the same night (querysets.retention.TAKEN_BACK_STAYS).

    Raises NotFound, or Conflict if one is not in the bin.
    """
    policy = current_policy(space)
    if any(memory.status != Status.BINNED for memory in _lock(space, memory_ids)):
        raise Conflict("It is not in the bin.")
    restored = Memory.objects.in_space(space).filter(pk__in=memory_ids)
    restored.update(
        status=Status.LIVE,
        binned_at=None,
        bin_reason="",
        importance_then=None,
        rank_then=None,
        restored_at=now,
        last_active_at=now,
        clock_started_at=now,
        expires_at=retention_sql.expires_at(now, F("importance"), policy.document.ttl.tiers),
    )
    record(memories=restored.all(), action="restored", actor=actor, policy=policy, now=now)


def restore_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Takes one memory back, as `restore_memories` does."""
    restore_memories(space=space, memory_ids=[memory_id], actor=actor, now=now)
    return Memory.objects.in_space(space).get(pk=memory_id)


@transaction.atomic
def purge_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> None:
    """Deletes a binned memory for good; only the history keeps what it said.

    Raises NotFound if it is not in the bin, or no longer.
    """
    cause = retention.Cause(space, actor, current_policy(space), now)
    if not purge(cause, cause.rows.binned().filter(pk=memory_id)):
        raise NotFound("There is no such memory in the bin.")


def _lock(space: Space, memory_ids: Collection[UUID]) -> list[Memory]:
    """The memories, held against others until the transaction ends; raises NotFound.

    In one order, as all who hold several rows: two at once would otherwise wait for each other.
    """
    wanted = set(memory_ids)
    rows = Memory.objects.in_space(space).filter(pk__in=wanted).select_for_update().order_by("pk")
    if len(found := list(rows)) < len(wanted):
        raise NotFound("There is no such memory.")
    return found
