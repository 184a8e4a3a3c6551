"""Approving a memory that waits for review, and undoing the approval.

An approved memory is reconciled with the known memories like a new statement
(reconciliation.services). It becomes a separate memory, perhaps superseding another. Or an older
memory says the same or is extended with it; then the approved memory moves to the bin as
superseded.
"""

from datetime import datetime

from django.db.models import Q

from foundation.actors import Actor
from memory.drafts import DOCUMENT, Replacement
from memory.models import BinReason, Memory, MemoryEmbedding, MemoryEvent, MemoryRevision, Status
from memory.models.history import Action, HistoryQuerySet
from memory.models.policies import Policy, current_policy
from memory.models.reasons import Reason
from memory.reconciliation.rules import Verdict
from memory.reconciliation.services import Statement, decided, update_older
from memory.reconciliation.succession import facets_in, note_succession
from memory.retention.recycle_bin import move_to_bin, restore_memories
from memory.review.proposals import proposal_of
from memory.store.history import record
from memory.store.revisions import revert_memory
from memory.store.services import revise_memory

_MERGED = {Verdict.REINFORCE: "known", Verdict.KNOWN: "known", Verdict.REVISE: "added"}


def admit(memory: Memory, *, actor: Actor, now: datetime) -> Memory:
    """Approve a memory waiting for review; return the memory that contains its statement
    afterwards.

    Call this in a transaction that has locked the memory, for one memory at a time in a space.
    """
    policy = current_policy(memory.space)
    statement = statement_of(memory, policy)
    decision = decided(statement, proposal_of(memory))
    if decision.memory is not None and decision.verdict in _MERGED:
        _note_approval(memory, policy, actor, now)
        move_to_bin(
            space=memory.space,
            memory_id=memory.pk,
            why=BinReason.SUPERSEDED,
            actor=actor,
            now=now,
            reason=Reason(_MERGED[decision.verdict], decision.memory.content),
        )
    older = update_older(statement, decision, actor=actor, now=now)
    if older is not None:
        return older
    _enliven(memory, policy, now)
    _note_approval(memory, policy, actor, now)
    return note_succession(decision, memory, actor=actor, policy=policy, now=now)


def undo_approval(approval: MemoryEvent, *, actor: Actor, now: datetime) -> None:
    """Undo the effects of an approval on memories that have not changed since: superseded ones are
    restored, revised, reinforced and inheriting ones get back their earlier text and importance.
    Call this in the transaction that returns the approved memory to review."""
    space = approval.space
    events, others = _done_by(approval), ~Q(memory_id=approval.memory_id)
    gone = events.filter(others, action=Action.DELETED).unmoved().in_space(space)
    restore_memories(space=space, memory_ids=[one.pk for one in gone], actor=actor, now=now)
    kept = Memory.objects.in_space(space).exclude(status=Status.BINNED)
    changed_here = Q(action__in=[Action.REVISED, Action.REINFORCED])
    for event in events.filter(changed_here & others | Q(reason_code="inherited")):
        changed = kept.select_for_update(no_key=True).filter(pk=event.memory_id).first()
        if changed is None:
            continue
        changed.space = space
        if event.action == Action.REVISED:
            _revert(changed, event, actor, now)
        else:
            _weaken(changed, event, actor, now)


def was_merged(memory: Memory, approval: MemoryEvent) -> bool:
    """Return true if the memory is in the bin because its approval merged it into an older
    memory."""
    own = _done_by(approval).filter(memory_id=memory.pk, action=Action.DELETED)
    return own.unmoved().in_space(memory.space).binned().exists()


def _done_by(approval: MemoryEvent) -> HistoryQuerySet:
    events: HistoryQuerySet = MemoryEvent.objects.in_space(approval.space)
    return events.beside([approval])


def statement_of(memory: Memory, policy: Policy) -> Statement:
    """Return the statement of a memory that waits for review."""
    space = memory.space
    vectors = MemoryEmbedding.objects.in_space(space).made_by(space.embedder)
    return Statement(
        space=space,
        user_id=memory.user_id,
        content=memory.content,
        memory_type=memory.memory_type,
        importance=memory.importance,
        facets=facets_in(memory),
        vector=vectors.filter(memory_id=memory.pk).values_list("vector", flat=True).first(),
        policy=policy,
        conversation_id=None,  # The memory already has its position in its conversation.
        said_at=memory.said_at,
        may_change_others=memory.source_role != DOCUMENT,
    )


def _note_approval(memory: Memory, policy: Policy, actor: Actor, now: datetime) -> None:
    why = memory.review_reason
    record(
        memories=[memory], action=Action.APPROVED, actor=actor, policy=policy, now=now, reason=why
    )


def _enliven(memory: Memory, policy: Policy, now: datetime) -> None:
    memory.status = Status.LIVE
    # Protected like a restored memory: capacity must not evict it the night of its approval.
    memory.clock_started_at = memory.restored_at = now
    memory.expires_at = memory.expiry_from(now, policy.document.ttl.tiers)
    Memory.objects.in_space(memory.space).filter(pk=memory.pk).update(
        status=memory.status,
        clock_started_at=now,
        restored_at=now,
        expires_at=memory.expires_at,
    )


def _revert(changed: Memory, revised: MemoryEvent, actor: Actor, now: datetime) -> None:
    past = MemoryRevision.objects.filter(space_id=changed.space_id, memory_id=changed.pk)
    last = past.order_by("-number").first()
    if last and (last.replaced_at, last.action_id) == (revised.at, revised.action_id):
        revert_memory(
            space=changed.space,
            memory_id=changed.pk,
            revision=last.number,
            actor=actor,
            now=now,
        )


def _weaken(changed: Memory, reinforced: MemoryEvent, actor: Actor, now: datetime) -> None:
    """Restore the importance that the history records before the reinforcement; restart the
    lifetime."""
    events = MemoryEvent.objects.in_space(changed.space).filter(memory_id=changed.pk)
    weighed = events.filter(action__in=[Action.CREATED, Action.REVISED, Action.REINFORCED])
    before = weighed.filter(pk__lt=reinforced.pk).order_by("-pk").first()
    if before is None or weighed.filter(pk__gt=reinforced.pk).exists():
        return
    first = changed.reinforced_from
    change = Replacement(
        importance=before.importance,
        reinforced_from=None if first == before.importance else first,
        facets=facets_in(changed),
    )
    revise_memory(
        space=changed.space,
        memory_id=changed.pk,
        change=change,
        actor=actor,
        now=now,
        reason=Reason("approval_undone"),
    )
