"""The recycle bin: deleting, restoring and purging memories."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound
from memory.models import BinReason, Memory, MemoryEvent, Reason, Status
from memory.models.history import Action
from memory.models.memories import expiry_from
from memory.models.policies import current_policy
from memory.retention.history import Cause
from memory.retention.sweep import purge
from memory.store.history import importance_now, record
from memory.store.times import end_again


def delete_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Move a memory to the bin at someone's request. Raises NotFound."""
    why = BinReason.DELETED
    return move_to_bin(
        space=space, memory_id=memory_id, why=why, actor=actor, now=now, reason=why.value
    )


def move_to_bin(
    *,
    space: Space,
    memory_id: UUID,
    why: BinReason,
    actor: Actor,
    now: datetime,
    reason: str,
    action: Action = Action.DELETED,
) -> Memory:
    """Move a memory to the bin, from which it can be restored. Raises NotFound."""
    policy = current_policy(space)
    with transaction.atomic():
        [memory] = _lock(space, [memory_id])
        if memory.status == Status.BINNED:
            return memory
        memory.importance_then = importance_now(memory, policy.document.decay, now)
        memory.status, memory.bin_reason, memory.binned_at = Status.BINNED, why, now
        end_again(space, [memory])
        fields = ("status", "bin_reason", "binned_at", "importance_then", "valid_to")
        Memory.objects.in_space(space).bulk_update([memory], fields)
        record(memories=[memory], action=action, actor=actor, policy=policy, now=now, reason=reason)
    return memory


@transaction.atomic
def restore_memories(
    *, space: Space, memory_ids: Collection[UUID], actor: Actor, now: datetime
) -> None:
    """Restore memories from the bin, all or none. Their lifetimes restart; otherwise they would
    expire the same night (statements.TAKEN_BACK_STAYS). The history keeps the deletions' reasons.

    Raises NotFound, or Conflict if one is not in the bin.
    """
    policy, actor = current_policy(space), actor.in_action()
    held = _lock(space, memory_ids)
    if any(memory.status != Status.BINNED for memory in held):
        raise Conflict("The memory is not in the bin.")
    restored = Memory.objects.in_space(space).filter(pk__in=memory_ids)
    restored.update(
        status=Status.LIVE,
        binned_at=None,
        bin_reason="",
        importance_then=None,
        rank_then=None,
        valid_to=None,
        restored_at=now,
        clock_started_at=now,
        expires_at=expiry_from(now, policy.document.ttl.tiers),
    )
    reasons = {memory.pk: memory.bin_reason for memory in held}
    for why in sorted(set(reasons.values())):
        back = [memory for memory in restored.all() if reasons[memory.pk] == why]
        record(
            memories=back, action=Action.RESTORED, actor=actor, policy=policy, now=now, reason=why
        )


def restore_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Restore one memory from the bin, as `restore_memories` does."""
    restore_memories(space=space, memory_ids=[memory_id], actor=actor, now=now)
    return Memory.objects.in_space(space).get(pk=memory_id)


@transaction.atomic
def undo_restore(*, space: Space, action_id: UUID, actor: Actor, now: datetime) -> int:
    """Return the memories that the actor restored in this action to the bin; return their number.

    Memories deleted or restored again since then stay unchanged.
    """
    policy = current_policy(space)
    events = MemoryEvent.objects.in_space(space)
    lines = events.of_action(action_id, actor).filter(action=Action.RESTORED)
    reasons = dict(lines.values_list("memory_id", "reason"))
    rows = lines.unmoved().in_space(space).live()
    memories = list(rows.select_for_update().order_by("pk"))
    went = events.removals().filter(memory_id__in=reasons).order_by("id")
    last = {event.memory_id: event for event in went}
    for memory in memories:
        event = last.get(memory.pk)
        memory.status, memory.bin_reason = Status.BINNED, reasons[memory.pk] or BinReason.DELETED
        memory.binned_at = event.at if event else now
        memory.importance_then = event.current_importance if event else None
        memory.rank_then = event.rank if event else None
    end_again(space, memories)
    fields = ("status", "bin_reason", "binned_at", "importance_then", "rank_then", "valid_to")
    Memory.objects.in_space(space).bulk_update(memories, fields)
    why = Reason("restoration_undone")
    record(
        memories=memories, action=Action.DELETED, actor=actor, policy=policy, now=now, reason=why
    )
    return len(memories)


@transaction.atomic
def purge_memories(
    *,
    space: Space,
    memory_ids: Collection[UUID],
    actor: Actor,
    now: datetime,
    with_sources: bool = False,
) -> None:
    """Permanently delete binned memories, all or none. Their text is erased everywhere; the history
    records that they were purged, when and by whom. `with_sources` also redacts the messages that
    they were learned from.

    Raises NotFound if one is not in the bin, and Conflict while a reply is being written in a
    conversation to be redacted.
    """
    cause = Cause(space, actor, current_policy(space), now)
    wanted = set(memory_ids)
    rows = cause.rows.binned().filter(pk__in=wanted)
    if purge(cause, rows, with_sources=with_sources) < len(wanted):
        raise NotFound("Memory not found in the bin.")


def purge_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> None:
    """Permanently delete one binned memory, as `purge_memories` does."""
    purge_memories(space=space, memory_ids=[memory_id], actor=actor, now=now)


def _lock(space: Space, memory_ids: Collection[UUID]) -> list[Memory]:
    """Return the memories, locked until the transaction ends; raises NotFound.

    Locks rows in the same order as all other code, because otherwise two transactions could
    deadlock.
    """
    wanted = set(memory_ids)
    rows = Memory.objects.in_space(space).filter(pk__in=wanted).order_by("pk")
    if len(found := list(rows.select_for_update(no_key=True))) < len(wanted):
        raise NotFound("Memory not found.")
    return found
