"""Review of statements: sending them to review, approving and rejecting them.

A memory waiting for review is not live: it is not recalled, does not reinforce or replace anything,
does not expire and does not count towards capacity. Only a person, or a program on their behalf,
decides about it.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound
from foundation.readers import Reader
from memory.models import BinReason, Memory, MemoryEvent, Status
from memory.models.history import Action
from memory.models.policies import current_policy
from memory.models.reasons import CONFLICT, Reason, because
from memory.recall.similar import nearest
from memory.reconciliation.rules import Decision, restates
from memory.reconciliation.services import (
    CONTRADICTING,
    Outcome,
    Statement,
    carry_out,
    decided,
    one_at_a_time,
)
from memory.retention.recycle_bin import move_to_bin
from memory.review.approvals import admit, undo_approval, was_merged
from memory.review.proposals import stored
from memory.store.history import record
from memory.store.services import Prepared, Review, lock_memory, store_memories

MAX_ALIKE = 100


@transaction.atomic
def hold_memory(
    *,
    prepared: Prepared,
    reason: str,
    actor: Actor,
    now: datetime,
    proposed: Decision | None = None,
) -> Memory:
    """Send a prepared statement to review. Return the memory that waits, which may be an older one.

    A statement that a person has rejected before is not proposed again: the rejected memory is
    returned, and its history notes it.
    `proposed` is the change that an approval will make to another memory.
    """
    space, [draft], actor = prepared.space, prepared.drafts, actor.in_action()
    one_at_a_time(space)
    own = Memory.objects.in_space(space).in_review().readable_by(Reader.exactly(draft.user_id))
    waiting = own.filter(content=draft.content).first()
    if waiting is not None:
        return waiting
    noted: dict[str, Any] = {"actor": actor, "policy": prepared.policy, "now": now}
    if (rejected := _rejected_before(prepared)) is not None:
        again = Reason("proposed_again", draft.content)
        record(memories=[rejected], action=Action.REJECTED, reason=again, **noted)
        return rejected
    review = Review(reason, stored(proposed))
    [memory] = store_memories(prepared=prepared, actor=actor, now=now, review=review)
    record(memories=[memory], action=Action.HELD, reason=reason, **noted)
    return memory


@transaction.atomic
def remember_or_hold(
    *,
    prepared: Prepared,
    actor: Actor,
    now: datetime,
    proposed: Decision | None = None,
    evidence: str = "",
) -> Outcome:
    """Reconcile a prepared statement with the known memories and save the result.

    If the policy says so, a statement that would change or replace a memory goes to review instead.
    `proposed` is a model's verdict on the statement, `evidence` the words that support it.
    """
    one_at_a_time(prepared.space)
    decision = decided(Statement.of(prepared, now), proposed)
    holds = prepared.policy.document.assessment.hold_conflicts
    if not (holds and decision.verdict in CONTRADICTING):
        return carry_out(prepared, decision, actor=actor, now=now)
    why = because(CONFLICT, evidence)
    held = hold_memory(prepared=prepared, reason=why, actor=actor, now=now, proposed=decision)
    return Outcome(held, decision.verdict)


@transaction.atomic
def approve_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Approve a memory and reconcile it with the known ones (review.approvals). Return the memory
    that now contains the statement: itself, or an older one. Raises NotFound, or Conflict if the
    memory does not wait for review."""
    one_at_a_time(space)
    return admit(_held(space, memory_id), actor=actor.in_action(), now=now)


@transaction.atomic
def reject_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Reject a memory waiting for review and move it to the bin. Raises NotFound, or Conflict if
    the memory does not wait for review."""
    memory = _held(space, memory_id)
    return move_to_bin(
        space=space,
        memory_id=memory_id,
        why=BinReason.REJECTED,
        actor=actor,
        now=now,
        reason=memory.review_reason,
        action=Action.REJECTED,
    )


@transaction.atomic
def decide_alike(
    *, space: Space, kind: str, approve: bool, actor: Actor, now: datetime
) -> list[Memory]:
    """Approve or reject the memories waiting for the same reason, newest first, all or none; at
    most MAX_ALIKE at once. Return these memories."""
    one_at_a_time(space)
    decide = approve_memory if approve else reject_memory
    rows = Memory.objects.in_space(space).held_as(kind).order_by("-created_at", "-pk")
    found = list(rows.select_for_update().values_list("pk", flat=True)[:MAX_ALIKE])
    for one in found:  # each is a separate action that can be undone alone
        decide(space=space, memory_id=one, actor=actor, now=now)
    decided = Memory.objects.in_space(space).in_bulk(found)
    return [decided[one] for one in found]


@transaction.atomic
def reopen_memories(
    *, space: Space, memory_ids: Collection[UUID], actor: Actor, now: datetime
) -> list[Memory]:
    """Undo decisions, all or none, the latest first: the memories wait for review again, and the
    effects of their approvals are undone. Raises NotFound, or Conflict if a memory had no decision.
    """
    one_at_a_time(space)
    actor = actor.in_action()
    rows = Memory.objects.in_space(space).filter(pk__in=memory_ids)
    held = rows.select_for_update().order_by("pk").values_list("pk", flat=True)
    if len(held) < len(set(memory_ids)):
        raise NotFound("Memory not found.")
    approvals = _approvals(space, held)
    order = {memory_id: event.pk for memory_id, event in approvals.items()}
    for one in sorted(held, key=lambda pk: order.get(pk, 0), reverse=True):
        _reopen(space, one, approvals.get(one), actor, now)
    return list(rows.order_by("pk"))


def _approvals(space: Space, memory_ids: Collection[UUID]) -> dict[UUID, MemoryEvent]:
    """Return the latest approval of each approved memory."""
    events = MemoryEvent.objects.in_space(space).filter(memory_id__in=memory_ids)
    lines = events.filter(action=Action.APPROVED).order_by("id")
    return {event.memory_id: event for event in lines.select_related("space")}


def _reopen(
    space: Space, memory_id: UUID, approval: MemoryEvent | None, actor: Actor, now: datetime
) -> None:
    rows = Memory.objects.in_space(space).filter(pk=memory_id)
    memory = rows.get()
    approved = memory.status == Status.LIVE and memory.review_reason
    rejected = memory.bin_reason == BinReason.REJECTED
    if not (approved or rejected or (approval and was_merged(memory, approval))):
        raise Conflict("The memory has no review decision to undo.")
    rows.update(status=Status.REVIEW, binned_at=None, bin_reason="", importance_then=None)
    if approval and not rejected:
        undo_approval(approval, actor=actor, now=now)
    record(
        memories=[memory],
        action=Action.HELD,
        actor=actor,
        policy=current_policy(space),
        now=now,
        reason=memory.review_reason,
    )


def _rejected_before(prepared: Prepared) -> Memory | None:
    """Return the rejected memory in the bin that says the same, if there is one."""
    space, [draft] = prepared.space, prepared.drafts
    rows = Memory.objects.in_space(space).rejected().readable_by(Reader.exactly(draft.user_id))
    for neighbour in nearest(rows, space, prepared.vector):
        if restates(draft.content, prepared.compared_type, neighbour):
            return neighbour.memory
    return None


def _held(space: Space, memory_id: UUID) -> Memory:
    """Return the memory waiting for review, locked until the transaction ends. Raises NotFound, or
    Conflict if the memory does not wait."""
    memory = lock_memory(space, memory_id)
    if memory.status != Status.REVIEW:
        raise Conflict("The memory is not waiting for review.")
    return memory
