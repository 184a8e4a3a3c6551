"""A new statement meets what is already known: it is added, reinforces, revises or supersedes.

One statement at a time in a space: two that say the same at once would otherwise both be added.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from memory.actors import Actor
from memory.drafts import MemoryAsked, MemoryChange, MemoryDraft, Source
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
from memory.store.idempotency import Written, answered, once
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


def remember_draft(
    *,
    space: Space,
    draft: MemoryDraft,
    actor: Actor,
    now: datetime,
    idempotency_key: str | None = None,
) -> Memory:
    """Remembers one statement in the light of what is known; gives the memory that now holds it.

    The same idempotency key again gives the first one's memory, and raises nothing a second time.
    """
    if first := answered(space=space, key=idempotency_key):
        return first[0].memory
    prepared = prepare_memories(space=space, drafts=[draft], now=now)

    def write() -> list[Written]:
        return [remember(prepared=prepared, actor=actor, now=now).written]

    return once(space=space, key=idempotency_key, write=write)[0].memory


def remember_drafts(
    *,
    space: Space,
    drafts: Sequence[MemoryAsked],
    actor: Actor,
    now: datetime,
    idempotency_key: str | None = None,
) -> list[Written]:
    """Remembers many things, all or none; what became of each, in the order given.

    Those that leave it to Ebb whether they are new meet, one after another, what is known then: the
    others of the same call are. The same idempotency key again gives what the first call ended in.
    """
    if first := answered(space=space, key=idempotency_key):
        return first
    new = [draft for draft in drafts if draft.on_duplicate is None]
    prepared = prepare_memories(space=space, drafts=new, now=now) if new else None
    meeting = [
        prepare_memories(space=space, drafts=[draft], now=now)
        for draft in drafts
        if draft.on_duplicate is not None
    ]

    @transaction.atomic
    def write() -> list[Written]:
        if meeting:
            one_at_a_time(space)
        stored = store_memories(prepared=prepared, actor=actor, now=now) if prepared else []
        added = iter([Written(memory, is_new=True) for memory in stored])
        met = iter([remember(prepared=one, actor=actor, now=now).written for one in meeting])
        return [next(added if draft.on_duplicate is None else met) for draft in drafts]

    return once(space=space, key=idempotency_key, write=write)


@dataclass(frozen=True)
class Statement:
    """What somebody says is so, new or held until now. Without a type it is compared with memories
    of any; without a vector, by the space's model, it has no neighbours."""

    space: Space
    content: str
    memory_type: str | None
    importance: float
    vector: Any
    policy: Policy
    source: Source
    said_at: datetime


@transaction.atomic
def remember(
    *,
    prepared: Prepared,
    actor: Actor,
    now: datetime,
    proposed: Decision | None = None,
    hold: Callable[[Decision], Memory] | None = None,
    **extra: object,
) -> Outcome:
    """Remembers one prepared statement in the light of what is known.

    `proposed` is what a model said it is to its neighbours; it stands as long as the memory it is
    about is still what the model was shown. Without it the rule decides. `hold` keeps for review
    what would change or replace a memory, instead of doing it.
    `extra` are columns of a new memory. A revision embeds its text while the space is held.
    """
    [draft], actor = prepared.drafts, actor.in_action()
    statement = Statement(
        space=prepared.space,
        content=draft.content,
        memory_type=prepared.compared_type(draft),
        importance=draft.base_importance,
        vector=prepared.vectors[0],
        policy=prepared.policy,
        source=draft.source,
        said_at=draft.starts_at(now),
    )

    def add() -> Memory:
        [memory] = store_memories(prepared=prepared, actor=actor, now=now, **extra)
        return memory

    one_at_a_time(prepared.space)
    decision = decided(statement, proposed)
    if hold is not None and decision.verdict in CONTRADICTING:
        return Outcome(hold(decision), decision.verdict)
    return carry_out(statement, decision, add=add, actor=actor, now=now)


def one_at_a_time(space: Space) -> None:
    """Nobody else remembers something in this way in the space until the transaction ends. To be
    called before a row is held."""
    Space.objects.select_for_update(no_key=True).get(pk=space.pk)
    lock_conversations(space)


def carry_out(
    statement: Statement,
    decision: Decision,
    *,
    add: Callable[[], Memory],
    actor: Actor,
    now: datetime,
) -> Outcome:
    """Does what was decided, in the transaction in which it was; `add` makes the statement a memory
    of its own."""
    old = decision.memory
    if old is None:
        return Outcome(add(), decision.verdict)
    if decision.verdict is Verdict.REINFORCE:
        _reinforce(old, statement, decision.reason, actor, now)
        return Outcome(old, decision.verdict)
    if decision.verdict is Verdict.REVISE:
        return Outcome(_patch(old, statement, decision.reason, actor, now), decision.verdict)
    move_to_bin(
        space=statement.space,
        memory_id=old.pk,
        why=BinReason.SUPERSEDED,
        actor=actor,
        now=now,
        reason=decision.reason,
    )
    return Outcome(add(), decision.verdict)


def is_echo(prepared: Prepared) -> bool:
    """Whether a statement that no person made is in the space already: a recalled memory, said
    again by the assistant."""
    [draft] = prepared.drafts
    return any(echoes(draft.content, neighbour) for neighbour in near(prepared))


def decided(statement: Statement, proposed: Decision | None = None) -> Decision:
    """The verdict on the statement, and the memory it is about held until the transaction ends.

    If that memory was changed or let go in the meantime, the verdict is on what is there now.
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
        lock_beside(space, old, statement.source.conversation_id, statement.said_at)
        as_judged = live.filter(pk=old.pk, revision=old.revision)
        if held := as_judged.select_for_update(no_key=True).first():
            return replace(decision, memory=held)


def near(prepared: Prepared) -> list[Neighbour]:
    """The live memories nearest to the statement, nearest first."""
    return nearest_live(prepared.space, prepared.vectors[0])


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


def _reinforce(old: Memory, statement: Statement, reason: str, actor: Actor, now: datetime) -> None:
    """Raises the importance of what was said again, and begins its lifetime anew."""
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


def _begin_anew(memory: Memory, statement: Statement, now: datetime) -> None:
    """Writes the importance, and the lifetime that follows from it."""
    tiers = statement.policy.document.ttl.tiers
    memory.clock_started_at, memory.expires_at = now, expires_at(now, memory.importance, tiers)
    Memory.objects.in_space(statement.space).filter(pk=memory.pk).update(
        importance=memory.importance, clock_started_at=now, expires_at=memory.expires_at
    )
