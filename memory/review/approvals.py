"""Letting a held memory in, and taking that back.

Let in, it meets what is known as a new statement does (reconciliation.services): it is a memory of
its own, perhaps in place of one that it replaces; or an older memory says the same, or is patched
with it, and holds it from then on. Then it lies in the bin as superseded itself.
"""

from datetime import datetime

from memory.actors import Actor
from memory.drafts import MemoryChange
from memory.formulas.retention import expires_at
from memory.models import BinReason, Memory, MemoryEmbedding, MemoryEvent, MemoryRevision, Status
from memory.models.history import Action, HistoryQuerySet
from memory.models.policies import Policy, current_policy
from memory.models.reasons import Reason
from memory.reconciliation.rules import Verdict
from memory.reconciliation.services import Statement, decided, update_older
from memory.retention.recycle_bin import move_to_bin, restore_memories
from memory.review.proposals import proposal_of
from memory.store.history import record
from memory.store.revisions import revert_memory
from memory.store.services import revise_memory

_MERGED = {Verdict.REINFORCE: "known", Verdict.REVISE: "added"}


def admit(memory: Memory, *, actor: Actor, now: datetime) -> Memory:
    """Lets in a held memory; gives the memory that holds it from now on.

    To be called in a transaction that holds the memory, and of such only one at a time in a space.
    """
    policy = current_policy(memory.space)
    statement = _statement(memory, policy)
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
    return memory


def take_back(approval: MemoryEvent, *, actor: Actor, now: datetime) -> None:
    """Undoes what an approval did to other memories, as far as nothing has happened to them since:
    what it had superseded comes back, what it patched or reinforced says and weighs what it did
    before. To be called in the transaction in which the approved memory waits again."""
    space = approval.space
    events = _done_by(approval).exclude(memory_id=approval.memory_id)
    gone = events.filter(action=Action.DELETED).unmoved().in_space(space)
    restore_memories(space=space, memory_ids=[one.pk for one in gone], actor=actor, now=now)
    live = Memory.objects.in_space(space).live().select_for_update(no_key=True)
    for event in events.filter(action__in=[Action.REVISED, Action.REINFORCED]):
        changed = live.filter(pk=event.memory_id).first()
        if changed is None:
            continue
        changed.space = space
        if event.action == Action.REVISED:
            _revert(changed, event, actor, now)
        else:
            _weaken(changed, event, actor, now)


def was_merged(memory: Memory, approval: MemoryEvent) -> bool:
    """Whether the memory lies in the bin since its approval, because an older one holds it."""
    own = _done_by(approval).filter(memory_id=memory.pk, action=Action.DELETED)
    return own.unmoved().in_space(memory.space).binned().exists()


def _done_by(approval: MemoryEvent) -> HistoryQuerySet:
    events: HistoryQuerySet = MemoryEvent.objects.in_space(approval.space)
    return events.beside([approval])


def _statement(memory: Memory, policy: Policy) -> Statement:
    space = memory.space
    vectors = MemoryEmbedding.objects.in_space(space).made_by(space.embedder)
    return Statement(
        space=space,
        content=memory.content,
        memory_type=memory.memory_type,
        importance=memory.importance,
        vector=vectors.filter(memory_id=memory.pk).values_list("vector", flat=True).first(),
        policy=policy,
        conversation_id=None,  # It has its place in its conversation already.
        said_at=memory.created_at,
    )


def _note_approval(memory: Memory, policy: Policy, actor: Actor, now: datetime) -> None:
    why = memory.review_reason
    record(
        memories=[memory], action=Action.APPROVED, actor=actor, policy=policy, now=now, reason=why
    )


def _enliven(memory: Memory, policy: Policy, now: datetime) -> None:
    memory.status = Status.LIVE
    # As one taken back from the bin: capacity must not take it the night it was let in.
    memory.clock_started_at = memory.last_active_at = memory.restored_at = now
    memory.expires_at = expires_at(now, memory.importance, policy.document.ttl.tiers)
    Memory.objects.in_space(memory.space).filter(pk=memory.pk).update(
        status=memory.status,
        clock_started_at=now,
        last_active_at=now,
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
    """Back to the importance that its history tells of before; its lifetime begins anew."""
    events = MemoryEvent.objects.in_space(changed.space).filter(memory_id=changed.pk)
    weighed = events.filter(action__in=[Action.CREATED, Action.REVISED, Action.REINFORCED])
    before = weighed.filter(pk__lt=reinforced.pk).order_by("-pk").first()
    if before is None or weighed.filter(pk__gt=reinforced.pk).exists():
        return
    revise_memory(
        space=changed.space,
        memory_id=changed.pk,
        change=MemoryChange(importance=before.importance),
        actor=actor,
        now=now,
        reason=Reason("approval_undone"),
    )
