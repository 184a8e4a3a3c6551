"""What must wait for a person: held, then let in or turned away.

A held memory is not live: it is not recalled, reinforces and replaces nothing, does not expire and
counts for no capacity. Only a person, or a program in their name, decides about it.
"""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from memory.actors import Actor
from memory.errors import Conflict, NotFound
from memory.formulas.retention import expires_at
from memory.models import BinReason, Memory, Space, Status
from memory.models.history import Action
from memory.querysets.policies import current_policy
from memory.services.history import record
from memory.services.memories import Prepared, store_memories
from memory.services.recycle_bin import let_go


@transaction.atomic
def hold_memory(
    *, prepared: Prepared, reason: str, actor: Actor, now: datetime, **extra: object
) -> Memory:
    """Keeps a prepared statement for review; the same one again is the one that waits already.

    `extra` are columns of a new memory.
    """
    space, [draft] = prepared.space, prepared.drafts
    Space.objects.select_for_update(no_key=True).get(pk=space.pk)
    waiting = Memory.objects.in_space(space).in_review().filter(content=draft.content).first()
    if waiting is not None:
        return waiting
    [memory] = store_memories(
        prepared=prepared,
        actor=actor,
        now=now,
        status=Status.REVIEW,
        review_reason=reason,
        **extra,
    )
    record(
        memories=[memory],
        action=Action.HELD,
        actor=actor,
        policy=prepared.policy,
        now=now,
        reason=reason,
    )
    return memory


@transaction.atomic
def approve_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Lets a held memory in, with a fresh clock. Raises NotFound, or Conflict if it is not held."""
    policy = current_policy(space)
    memory = _held(space, memory_id)
    memory.status = Status.LIVE
    # As one taken back from the bin: capacity must not take it the night it was let in.
    memory.clock_started_at = memory.last_active_at = memory.restored_at = now
    memory.expires_at = expires_at(now, memory.importance, policy.document.ttl.tiers)
    Memory.objects.in_space(space).filter(pk=memory_id).update(
        status=memory.status,
        clock_started_at=now,
        last_active_at=now,
        restored_at=now,
        expires_at=memory.expires_at,
    )
    record(
        memories=[memory],
        action=Action.APPROVED,
        actor=actor,
        policy=policy,
        now=now,
        reason=memory.review_reason,
    )
    return memory


@transaction.atomic
def reject_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Turns a held memory away, into the bin. Raises NotFound, or Conflict if it is not held."""
    memory = _held(space, memory_id)
    return let_go(
        space=space,
        memory_id=memory_id,
        why=BinReason.REJECTED,
        actor=actor,
        now=now,
        reason=memory.review_reason,
        action=Action.REJECTED,
    )


def _held(space: Space, memory_id: UUID) -> Memory:
    """The memory, held against others until the transaction ends."""
    memory = Memory.objects.in_space(space).filter(pk=memory_id).select_for_update().first()
    if memory is None:
        raise NotFound("There is no such memory.")
    if memory.status != Status.REVIEW:
        raise Conflict("It does not wait for review.")
    return memory
