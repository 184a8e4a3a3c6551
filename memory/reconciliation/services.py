"""Reconciliation of a new statement with known memories: add, reinforce, revise or supersede.

`decided` returns the verdict; `carry_out` applies it. A space processes one statement at a time:
otherwise two identical simultaneous statements would both be added.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.models import Space
from foundation.actors import Actor
from foundation.database.locks import lock_changes
from foundation.moments import beside
from memory.drafts import DOCUMENT, Facets, MemoryAsked, MemoryChange
from memory.formulas.importance import reinforced
from memory.models import BinReason, Memory
from memory.models.history import Action
from memory.models.policies import Policy
from memory.recall.similar import AT_MOST, Neighbour, nearest_live
from memory.reconciliation.patched_facets import facets_of
from memory.reconciliation.rules import Decision, Verdict, decide, echoes, has_room, patched
from memory.reconciliation.succession import facets_of_patched, note_succession
from memory.retention.recycle_bin import move_to_bin
from memory.store.conversations import lock_beside, lock_conversations
from memory.store.history import record
from memory.store.idempotency import Written, earlier_answer, keep_answer
from memory.store.services import Prepared, prepare_memories, revise_memory, store_memories
from memory.store.times import starts_at

CONTRADICTING = {Verdict.REVISE, Verdict.SUPERSEDE}


@dataclass(frozen=True)
class Outcome:
    """The result for a statement: the memory that now contains it, and the verdict."""

    memory: Memory
    verdict: Verdict

    @property
    def written(self) -> Written:
        """The memory, and true if it was created for this statement."""
        return Written(self.memory, self.verdict in {Verdict.ADD, Verdict.SUPERSEDE})


@dataclass(frozen=True)
class Statement:
    """A statement to reconcile, new or waiting for review until now.

    It is compared with memories of the same user only: a user who restates a shared memory gets a
    memory of their own. A statement without a type is compared with memories of any type; without a
    vector it has no neighbours.
    """

    space: Space
    user_id: str | None
    content: str
    memory_type: str | None
    importance: float
    facets: Facets | None
    vector: Any
    policy: Policy
    conversation_id: str | None
    said_at: datetime
    may_change_others: bool = True
    """False for a document's words, which never change or replace a person's statement."""
    siblings: Set[UUID] = frozenset()
    """Memories that the same message taught: they are repeated, but never changed."""

    @classmethod
    def of(cls, prepared: Prepared, now: datetime) -> "Statement":
        """Return the statement made from the only prepared draft."""
        [draft] = prepared.drafts
        return cls(
            space=prepared.space,
            user_id=draft.user_id,
            content=draft.content,
            memory_type=prepared.compared_type,
            importance=draft.base_importance,
            facets=draft.facets,
            vector=prepared.vector,
            policy=prepared.policy,
            conversation_id=draft.source.conversation_id,
            said_at=draft.starts_at(now),
            may_change_others=draft.source.role != DOCUMENT,
            siblings=prepared.siblings,
        )


def remember_drafts(
    *,
    space: Space,
    drafts: Sequence[MemoryAsked],
    actor: Actor,
    now: datetime,
    idempotency_key: str | None = None,
) -> list[Written]:
    """Save drafts as memories, all or none. Return the result for each, in the order given.

    Drafts with `on_duplicate` are compared with the known memories one after another, including the
    other drafts of this call. A repeated idempotency key returns the result of the first call.
    """
    if first := earlier_answer(space=space, key=idempotency_key):
        return first
    new = [draft for draft in drafts if draft.on_duplicate is None]
    added = prepare_memories(space=space, drafts=new, now=now)
    compared = [
        prepare_memories(space=space, drafts=[draft], now=now) if draft.on_duplicate else None
        for draft in drafts
    ]
    try:
        with transaction.atomic():
            answer = _write(added, compared, actor, now)
            keep_answer(space=space, key=idempotency_key, answer=answer)
    except IntegrityError:
        if first := earlier_answer(space=space, key=idempotency_key):
            return first  # A concurrent request with this key won; our writes are rolled back.
        raise
    return answer


def _write(
    added: Prepared, compared: Sequence[Prepared | None], actor: Actor, now: datetime
) -> list[Written]:
    """Store the new drafts, then reconcile the others; None in `compared` marks a new draft."""
    if any(compared):
        one_at_a_time(added.space)
    stored = iter(store_memories(prepared=added, actor=actor, now=now))
    return [
        remember(prepared=one, actor=actor, now=now).written
        if one
        else Written(next(stored), is_new=True)
        for one in compared
    ]


@transaction.atomic
def remember(*, prepared: Prepared, actor: Actor, now: datetime) -> Outcome:
    """Reconcile one prepared statement with the known memories and save the result."""
    one_at_a_time(prepared.space)
    decision = decided(Statement.of(prepared, now))
    return carry_out(prepared, decision, actor=actor, now=now)


def one_at_a_time(space: Space) -> None:
    """Prevent other statements from being reconciled in the space until the transaction ends. Call
    this before locking any row."""
    lock_changes(space.pk)
    lock_conversations(space)


def decided(statement: Statement, proposed: Decision | None = None) -> Decision:
    """Return the verdict on the statement. The memory it is about is locked.

    `proposed` is a model's verdict; it counts while its memory is unchanged since the model saw it.
    Otherwise, and without a proposal, the rule decides. If the memory was changed or deleted in the
    meantime, the verdict considers the current memories.
    """
    space = statement.space
    live = Memory.objects.in_space(space).live()
    if proposed and proposed.memory and proposed.memory.pk in statement.siblings:
        proposed = None
    while True:
        decision = proposed or by_rule(statement)
        proposed = None
        if (old := decision.memory) is None:
            return decision
        if decision.verdict is Verdict.REVISE and not has_room(old.content, statement.content):
            return Decision(Verdict.ADD)
        lock_beside(space, old, statement.conversation_id, statement.said_at)
        unchanged = live.filter(pk=old.pk, revision=old.revision)
        if held := unchanged.select_for_update(no_key=True).first():
            known = held.core and decision.verdict is Verdict.REINFORCE
            verdict = Verdict.KNOWN if known else decision.verdict
            return replace(decision, memory=held, verdict=verdict)


def by_rule(statement: Statement) -> Decision:
    """Return the rule's verdict on a statement. The rule examines more neighbours than a model
    would, because other statements about the same person may be nearer than the outdated one."""
    space, vector = statement.space, statement.vector
    neighbours = (
        [] if vector is None else nearest_live(space, vector, statement.user_id, most=AT_MOST)
    )
    own = [near for near in neighbours if near.memory.pk in statement.siblings]
    asked = (statement.content, statement.memory_type)
    if own and (repeated := decide(*asked, own)).verdict is Verdict.REINFORCE:
        return replace(repeated, verdict=Verdict.KNOWN)
    decision = decide(*asked, [near for near in neighbours if near not in own])
    if decision.verdict in CONTRADICTING and not statement.may_change_others:
        return Decision(Verdict.ADD)
    return decision


def carry_out(prepared: Prepared, decision: Decision, *, actor: Actor, now: datetime) -> Outcome:
    """Apply the decision in the current transaction. A revision computes its embedding in this
    transaction."""
    done: dict[str, Any] = {"actor": actor.in_action(), "now": now}
    memory = update_older(Statement.of(prepared, now), decision, **done)
    if memory is None:
        [memory] = store_memories(prepared=prepared, **done)
        memory = note_succession(decision, memory, policy=prepared.policy, **done)
    return Outcome(memory, decision.verdict)


def update_older(
    statement: Statement, decision: Decision, *, actor: Actor, now: datetime
) -> Memory | None:
    """Apply the decision to the older memory. Return that memory if it now contains the statement;
    None if the statement becomes a separate memory."""
    old = decision.memory
    if old is None:
        return None
    if decision.verdict is Verdict.KNOWN:
        return old
    if decision.verdict is Verdict.REINFORCE:
        return _reinforce(old, statement, decision.reason, actor, now)
    if decision.verdict is Verdict.REVISE:
        return _patch(old, statement, decision.reason, actor, now)
    if starts_at(statement.content, statement.said_at) <= now:  # or else `end_superseded` does it
        space, why = statement.space, BinReason.SUPERSEDED
        move_to_bin(
            space=space, memory_id=old.pk, why=why, actor=actor, now=now, reason=decision.reason
        )
    return None


def is_echo(prepared: Prepared) -> bool:
    """Return true if the statement only repeats a memory of the space, as when the assistant
    repeats a recalled memory."""
    [draft] = prepared.drafts
    return any(echoes(draft.content, neighbour) for neighbour in near(prepared))


def near(prepared: Prepared) -> list[Neighbour]:
    """Return the user's live memories nearest to the statement, nearest first."""
    return nearest_live(prepared.space, prepared.vector, prepared.drafts[0].user_id)


def _patch(old: Memory, statement: Statement, reason: str, actor: Actor, now: datetime) -> Memory:
    """Return the old memory with the statement appended in brackets. Its facets are assessed again,
    and its importance follows from them. Its lifetime restarts: otherwise the statement might
    expire the same night."""
    content = patched(old.content, statement.content, beside(now, statement.said_at))
    tiers = statement.policy.document.ttl.tiers
    if old.facets is None:
        change = MemoryChange(content=content, importance=max(old.importance, statement.importance))
    else:
        facets = facets_of_patched(old, statement.facets or facets_of(content), tiers)
        change = MemoryChange(content=content, facets=facets)
    revised = revise_memory(
        space=statement.space,
        memory_id=old.pk,
        change=change,
        actor=actor,
        now=now,
        reason=reason,
    )
    _begin_anew(revised, statement, now)
    return revised


def _reinforce(
    old: Memory, statement: Statement, reason: str, actor: Actor, now: datetime
) -> Memory:
    """Return the old memory with a higher importance and a new lifetime, because it was
    repeated."""
    if old.reinforced_from is None:
        old.reinforced_from = old.importance
    old.importance = reinforced(old.importance, statement.importance)
    _begin_anew(old, statement, now)
    record(
        memories=[old],
        action=Action.REINFORCED,
        actor=actor,
        policy=statement.policy,
        now=now,
        reason=reason,
    )
    return old


def _begin_anew(memory: Memory, statement: Statement, now: datetime) -> None:
    """Write the importance and restart the lifetime that follows from it."""
    tiers = statement.policy.document.ttl.tiers
    memory.clock_started_at = now
    memory.expires_at = memory.expiry_from(now, tiers)
    Memory.objects.in_space(statement.space).filter(pk=memory.pk).update(
        importance=memory.importance,
        reinforced_from=memory.reinforced_from,
        clock_started_at=now,
        expires_at=memory.expires_at,
    )
