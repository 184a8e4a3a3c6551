"""A new statement meets what is already known: it is added, reinforces, revises or supersedes.

One statement at a time in a space: two that say the same at once would otherwise both be added.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from pgvector import HalfVector
from pgvector.django import CosineDistance

from memory.actors import Actor
from memory.drafts import MemoryChange, MemoryDraft
from memory.formulas.importance import reinforced
from memory.formulas.ranking import semantic
from memory.formulas.retention import expires_at
from memory.models import BinReason, Memory, Space
from memory.querysets.memories import MemoryQuerySet
from memory.reconciliation import Decision, Neighbour, Verdict, decide, echoes, patched
from memory.services.conversations import hold_conversations
from memory.services.history import record
from memory.services.idempotency import answered, once
from memory.services.memories import Prepared, prepare_memories, revise_memory, store_memories
from memory.services.recycle_bin import let_go

NEIGHBOURS = 5


@dataclass(frozen=True)
class Outcome:
    """What became of a statement: the memory that now holds it, and how."""

    memory: Memory
    verdict: Verdict


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
        return first
    prepared = prepare_memories(space=space, drafts=[draft], now=now)

    def write() -> Memory:
        return remember(prepared=prepared, actor=actor, now=now).memory

    return once(space=space, key=idempotency_key, write=write)


@transaction.atomic
def remember(
    *,
    prepared: Prepared,
    actor: Actor,
    now: datetime,
    proposed: Decision | None = None,
    **extra: object,
) -> Outcome:
    """Remembers one prepared statement in the light of what is known.

    `proposed` is what a model said it is to its neighbours; it stands as long as the memory it is
    about is still what the model was shown. Without it the rule decides.
    `extra` are columns of a new memory. A revision embeds its text while the space is held.
    """
    space, [draft] = prepared.space, prepared.drafts
    Space.objects.select_for_update(no_key=True).get(pk=space.pk)
    hold_conversations(space)
    decision = _decided(prepared, proposed)
    old = decision.memory
    if old is None:
        [memory] = store_memories(prepared=prepared, actor=actor, now=now, **extra)
        return Outcome(memory, decision.verdict)
    if decision.verdict is Verdict.REINFORCE:
        _reinforce(old, prepared, decision.reason, actor, now)
        return Outcome(old, decision.verdict)
    if decision.verdict is Verdict.REVISE:
        change = MemoryChange(
            content=patched(old.content, draft.content, now),
            importance=max(old.importance, draft.base_importance),
        )
        revised = revise_memory(
            space=space,
            memory_id=old.pk,
            change=change,
            actor=actor,
            now=now,
            reason=decision.reason,
        )
        return Outcome(revised, decision.verdict)
    let_go(
        space=space,
        memory_id=old.pk,
        why=BinReason.SUPERSEDED,
        actor=actor,
        now=now,
        reason=decision.reason,
    )
    [memory] = store_memories(prepared=prepared, actor=actor, now=now, **extra)
    return Outcome(memory, decision.verdict)


def is_echo(prepared: Prepared) -> bool:
    """Whether a statement that no person made is in the space already: a recalled memory, said
    again by the assistant."""
    [draft] = prepared.drafts
    return any(echoes(draft.content, neighbour) for neighbour in near(prepared))


def _decided(prepared: Prepared, proposed: Decision | None) -> Decision:
    """The verdict on the statement, and the memory it is about held until the transaction ends.

    If that memory was changed or let go in the meantime, the verdict is on what is there now.
    """
    space, [draft] = prepared.space, prepared.drafts
    while True:
        decision = proposed or decide(draft.content, prepared.compared_type(draft), near(prepared))
        proposed = None
        if decision.memory is None:
            return decision
        as_judged = (
            Memory.objects.in_space(space)
            .live()
            .filter(pk=decision.memory.pk, revision=decision.memory.revision)
        )
        if held := as_judged.select_for_update(no_key=True).first():
            return replace(decision, memory=held)


def near(prepared: Prepared) -> list[Neighbour]:
    """The live memories nearest to the statement, nearest first."""
    space = prepared.space
    return nearest(space, prepared.vectors[0], Memory.objects.in_space(space).live())


def nearest(space: Space, vector: Any, rows: MemoryQuerySet) -> list[Neighbour]:
    """Those of the space's rows that are nearest to a vector by its model, nearest first."""
    found = (
        rows.filter(embeddings__space_id=space.pk, embeddings__embedder_id=space.embedder_id)
        .annotate(distance=CosineDistance("embeddings__vector", HalfVector(vector)))
        .order_by("distance")[:NEIGHBOURS]
    )
    return [Neighbour(memory, semantic(memory.distance)) for memory in found]  # type: ignore[attr-defined]  # annotated above


def _reinforce(old: Memory, prepared: Prepared, reason: str, actor: Actor, now: datetime) -> None:
    """Raises the importance of what was said again, and begins its lifetime anew."""
    [draft] = prepared.drafts
    old.importance = reinforced(old.importance, draft.base_importance)
    tiers = prepared.policy.document.ttl.tiers
    old.clock_started_at, old.expires_at = now, expires_at(now, old.importance, tiers)
    Memory.objects.in_space(prepared.space).filter(pk=old.pk).update(
        importance=old.importance, clock_started_at=now, expires_at=old.expires_at
    )
    record(
        memories=[old],
        action="reinforced",
        actor=actor,
        policy=prepared.policy,
        now=now,
        reason=reason,
    )
