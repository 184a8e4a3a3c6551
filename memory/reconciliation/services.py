"""A new statement meets what is already known: it is added, reinforces, revises or supersedes.

`decided` says which; `carry_out` does it. One statement at a time in a space: two that say the same
at once would otherwise both be added.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from memory.actors import Actor
from memory.drafts import MemoryAsked, MemoryChange
from memory.formulas.importance import reinforced
from memory.formulas.retention import expires_at
from memory.models import BinReason, Memory, Space
from memory.models.history import Action
from memory.models.policies import Policy
from memory.recall.similar import Neighbour, nearest_live
from memory.reconciliation.rules import Decision, Verdict, decide, echoes, has_room, patched
from memory.retention.recycle_bin import move_to_bin
from memory.store.conversations import lock_beside, lock_conversations
from memory.store.history import record
from memory.store.idempotency import Written, earlier_answer, keep_answer
from memory.store.services import Prepared, prepare_memories, revise_memory, store_memories

CONTRADICTING = {Verdict.REVISE, Verdict.SUPERSEDE}


@dataclass(frozen=True)
class Outcome:
    """What became of a statement: the memory that now holds it, and how."""

    memory: Memory
    verdict: Verdict

    @property
    def written(self) -> Written:
        """The memory, and whether it is the statement's own now, and no older one's."""
        return Written(self.memory, self.verdict in {Verdict.ADD, Verdict.SUPERSEDE})


@dataclass(frozen=True)
class Statement:
    """What somebody says is so, new or held for review until now.

    Without a type it is compared with memories of any; without a vector it has no neighbours.
    """

    space: Space
    content: str
    memory_type: str | None
    importance: float
    vector: Any
    policy: Policy
    conversation_id: str | None
    said_at: datetime

    @classmethod
    def of(cls, prepared: Prepared, now: datetime) -> "Statement":
        """The only draft of what was prepared."""
        [draft] = prepared.drafts
        return cls(
            space=prepared.space,
            content=draft.content,
            memory_type=prepared.compared_type,
            importance=draft.base_importance,
            vector=prepared.vector,
            policy=prepared.policy,
            conversation_id=draft.source.conversation_id,
            said_at=draft.starts_at(now),
        )


def remember_drafts(
    *,
    space: Space,
    drafts: Sequence[MemoryAsked],
    actor: Actor,
    now: datetime,
    idempotency_key: str | None = None,
) -> list[Written]:
    """Remember things, all or none. Return what became of each, in the order given.

    Drafts with `on_duplicate` are compared with what is known, one after another, the other drafts
    included. The same idempotency key again returns what the first call ended in.
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
            return first  # Another request with this key was faster; nothing of ours stays.
        raise
    return answer


def _write(
    added: Prepared, compared: Sequence[Prepared | None], actor: Actor, now: datetime
) -> list[Written]:
    """Store the drafts that are new, then compare the others; None is the place of a new one."""
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
    """Remember one prepared statement in the light of what is known."""
    one_at_a_time(prepared.space)
    decision = decided(Statement.of(prepared, now))
    return carry_out(prepared, decision, actor=actor, now=now)


def one_at_a_time(space: Space) -> None:
    """Nobody else remembers something in this way in the space until the transaction ends. To be
    called before a row is held."""
    Space.objects.select_for_update(no_key=True).get(pk=space.pk)
    lock_conversations(space)


def decided(statement: Statement, proposed: Decision | None = None) -> Decision:
    """Return the verdict on the statement. The memory it is about is locked.

    `proposed` is what a model said; it counts while its memory is still what the model was shown.
    Otherwise, and without it, the rule decides. If the memory was changed or deleted in the
    meantime, the verdict is on what is there now.
    """
    space = statement.space
    live = Memory.objects.in_space(space).live()
    while True:
        neighbours = [] if statement.vector is None else nearest_live(space, statement.vector)
        decision = proposed or decide(statement.content, statement.memory_type, neighbours)
        proposed = None
        if (old := decision.memory) is None:
            return decision
        if decision.verdict is Verdict.REVISE and not has_room(old.content, statement.content):
            return Decision(Verdict.ADD)
        lock_beside(space, old, statement.conversation_id, statement.said_at)
        as_judged = live.filter(pk=old.pk, revision=old.revision)
        if held := as_judged.select_for_update(no_key=True).first():
            return replace(decision, memory=held)


def carry_out(prepared: Prepared, decision: Decision, *, actor: Actor, now: datetime) -> Outcome:
    """Do what was decided, in the same transaction. A revision embeds its text in it."""
    actor = actor.in_action()
    memory = update_older(Statement.of(prepared, now), decision, actor=actor, now=now)
    if memory is None:
        [memory] = store_memories(prepared=prepared, actor=actor, now=now)
    return Outcome(memory, decision.verdict)


def update_older(
    statement: Statement, decision: Decision, *, actor: Actor, now: datetime
) -> Memory | None:
    """Do to the older memory what was decided. Return it if it now holds the statement; None if
    the statement becomes a memory of its own."""
    old = decision.memory
    if old is None:
        return None
    if decision.verdict is Verdict.REINFORCE:
        return _reinforce(old, statement, decision.reason, actor, now)
    if decision.verdict is Verdict.REVISE:
        return _patch(old, statement, decision.reason, actor, now)
    move_to_bin(
        space=statement.space,
        memory_id=old.pk,
        why=BinReason.SUPERSEDED,
        actor=actor,
        now=now,
        reason=decision.reason,
    )
    return None


def is_echo(prepared: Prepared) -> bool:
    """Whether a statement that no person made is in the space already: a recalled memory, said
    again by the assistant."""
    [draft] = prepared.drafts
    return any(echoes(draft.content, neighbour) for neighbour in near(prepared))


def near(prepared: Prepared) -> list[Neighbour]:
    """The live memories nearest to the statement, nearest first."""
    return nearest_live(prepared.space, prepared.vector)


def _patch(old: Memory, statement: Statement, reason: str, actor: Actor, now: datetime) -> Memory:
    """The old memory with the statement in brackets behind what it said. Its lifetime begins anew:
    by the old one the statement might go the same night."""
    change = MemoryChange(
        content=patched(old.content, statement.content, now),
        importance=max(old.importance, statement.importance),
    )
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
    """The old memory with a higher importance and a new lifetime, because it was said again."""
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
    """Writes the importance, and the lifetime that follows from it."""
    tiers = statement.policy.document.ttl.tiers
    memory.clock_started_at, memory.expires_at = now, expires_at(now, memory.importance, tiers)
    Memory.objects.in_space(statement.space).filter(pk=memory.pk).update(
        importance=memory.importance, clock_started_at=now, expires_at=memory.expires_at
    )
