"""What must wait for a person: held, then let in or turned away.

A held memory is not live: it is not recalled, reinforces and replaces nothing, does not expire and
counts for no capacity. Only a person, or a program in their name, decides about it.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memory.actors import Actor
from memory.embeddings import EmbeddingError
from memory.errors import Conflict, NotFound
from memory.models import BinReason, Memory, MemoryEvent, ReviewRule, Space, Status
from memory.models.history import Action
from memory.models.policies import current_policy
from memory.models.reasons import CONFLICT, Reason, because, kind_of
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
from memory.review.approvals import admit, take_back, was_merged
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
    returned, and its history notes it. A standing rule (review.standing_rules) decides at once.
    `proposed` is what an approval will do to another memory.
    """
    space, [draft] = prepared.space, prepared.drafts
    actor = actor.in_action()
    one_at_a_time(space)
    waiting = Memory.objects.in_space(space).in_review().filter(content=draft.content).first()
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
    rule = ReviewRule.objects.in_space(space).on(kind_of(reason)).first()
    return memory if rule is None else _decided(memory, rule, now)


@transaction.atomic
def remember_or_hold(
    *,
    prepared: Prepared,
    actor: Actor,
    now: datetime,
    proposed: Decision | None = None,
    evidence: str = "",
) -> Outcome:
    """Remember a prepared statement in the light of what is known.

    If the policy says so, a statement that would change or replace a memory goes to review instead.
    `proposed` is what a model said it is to its neighbours, `evidence` the words that show it.
    """
    one_at_a_time(prepared.space)
    decision = decided(Statement.of(prepared, now), proposed)
    holds = prepared.policy.document.assessment.hold_conflicts
    if not (holds and decision.verdict in CONTRADICTING):
        return carry_out(prepared, decision, actor=actor, now=now)
    why = because(CONFLICT, evidence)
    held = hold_memory(prepared=prepared, reason=why, actor=actor, now=now, proposed=decision)
    return Outcome(held, decision.verdict)


def _decided(memory: Memory, rule: ReviewRule, now: datetime) -> Memory:
    """The memory after the standing decision; it waits where it cannot be compared now."""
    decide = approve_memory if rule.approve else reject_memory
    actor = Actor("system", f"standing decision of {rule.made_by}")
    try:
        with transaction.atomic():
            return decide(space=memory.space, memory_id=memory.pk, actor=actor, now=now)
    except EmbeddingError:
        return memory


@transaction.atomic
def approve_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Lets a held memory in, in the light of what is known (review.approvals). Gives the memory
    that now holds it: itself, or an older one. Raises NotFound, or Conflict if it is not held."""
    one_at_a_time(space)
    return admit(_held(space, memory_id), actor=actor.in_action(), now=now)


@transaction.atomic
def reject_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Turns a held memory away, into the bin. Raises NotFound, or Conflict if it is not held."""
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
    """Approves or rejects what waits for the same reason, the newest first, all or none; at most
    MAX_ALIKE at once. Gives what was decided on."""
    one_at_a_time(space)
    decide = approve_memory if approve else reject_memory
    rows = Memory.objects.in_space(space).held_as(kind).order_by("-created_at", "-pk")
    found = list(rows.select_for_update().values_list("pk", flat=True)[:MAX_ALIKE])
    for one in found:  # each an action of its own, that can be taken back alone
        decide(space=space, memory_id=one, actor=actor, now=now)
    decided = Memory.objects.in_space(space).in_bulk(found)
    return [decided[one] for one in found]


@transaction.atomic
def reopen_memories(
    *, space: Space, memory_ids: Collection[UUID], actor: Actor, now: datetime
) -> list[Memory]:
    """Takes decisions back, all or none, the last one first: they wait again, and what an approval
    did to others is undone. Raises NotFound, or Conflict if one was not held and then decided on.
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
    """The last approval of each of them that was let in."""
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
        take_back(approval, actor=actor, now=now)
    record(
        memories=[memory],
        action=Action.HELD,
        actor=actor,
        policy=current_policy(space),
        now=now,
        reason=memory.review_reason,
    )


def _rejected_before(prepared: Prepared) -> Memory | None:
    """The memory in the bin that a person has rejected and that says the same."""
    space, [draft] = prepared.space, prepared.drafts
    rows = Memory.objects.in_space(space).rejected()
    for neighbour in nearest(rows, space, prepared.vector):
        if restates(draft.content, prepared.compared_type, neighbour):
            return neighbour.memory
    return None


def _held(space: Space, memory_id: UUID) -> Memory:
    """The memory that waits, locked until the transaction ends. Raises NotFound, or Conflict if it
    does not wait."""
    memory = lock_memory(space, memory_id)
    if memory.status != Status.REVIEW:
        raise Conflict("The memory is not waiting for review.")
    return memory
