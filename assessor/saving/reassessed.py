"""Updates the memories of an exchange that is assessed again.

Their text stays, because people may have read it.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max

from assessor.facts import Fact
from assessor.models import Assessment
from assessor.saving.exchanges import rows_of
from assessor.saving.taught import lock_taught
from foundation.actors import Actor
from memory.drafts import Replacement
from memory.models import BinReason, Memory, Reason
from memory.models.policies import current_policy
from memory.reconciliation.discarding import superseded_by
from memory.reconciliation.succession import inherited
from memory.retention.recycle_bin import move_to_bin
from memory.store.services import revise_memory
from memory.text.text_similarity import meaning, weight


def next_place(assessment: Assessment) -> int:
    """Return the first place after the facts that the exchange has taught."""
    rows = Memory.objects.in_space(assessment.space).filter(source_assessment=assessment.pk)
    created = rows.aggregate(last=Max("source_place", default=-1))["last"]
    return max([int(created), *(lesson.position for lesson in assessment.lessons)]) + 1


def new_facts(assessment: Assessment, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that no memory of the exchange contains, not even a deleted one."""
    told = [fact for memory in assessment.memories for fact in _told(assessment, memory, facts)]
    return [fact for fact in facts if fact not in told]


def changed_others(assessment: Assessment) -> bool:
    """Return whether a memory of the exchange superseded another."""
    return any(map(superseded_by, assessment.memories))


def update_memories(
    assessment: Assessment, facts: Sequence[Fact], model: str, now: datetime
) -> None:
    """Update the memories that only this exchange taught with the facts of its new assessment.

    The importance, type, facets, tags and topics change. A memory without a fact moves to the bin,
    unless it superseded another. Memories with other sources stay unchanged. Call in the
    transaction that ends the assessment.
    """
    span = [row.pk for row in rows_of(assessment)]
    for memory in lock_taught(assessment.space, span, []):
        which: dict[str, Any] = {
            "space": assessment.space,
            "memory_id": memory.pk,
            "actor": Actor("assessor", model),
            "now": now,
            "reason": Reason("assessed_again"),
        }
        if told := _told(assessment, memory, facts):
            fact = max(told, key=lambda one: one.importance)
            revise_memory(change=_replacement(fact, memory), **which)
        elif not superseded_by(memory):
            move_to_bin(why=BinReason.SUPERSEDED, **which)


def _told(assessment: Assessment, memory: Memory, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that the memory contains by most of their words. The only fact belongs to
    the only memory, in whatever words.
    """
    if len(facts) == len(assessment.lessons) == 1:
        return list(facts)
    known = meaning(memory.content)
    return [
        fact
        for fact in facts
        if 2 * weight((said := meaning(fact.text)) & known) >= weight(said) > 0
    ]


def _replacement(fact: Fact, memory: Memory) -> Replacement:
    """Return the new assessment of a memory, with the values inherited from the memories it
    superseded.
    """
    tiers = current_policy(memory.space).document.ttl.tiers
    importance, facets = fact.importance, fact.all_facets
    for old in superseded_by(memory):
        importance, facets = inherited(importance, facets, old, tiers)
    return Replacement(
        memory_type=fact.memory_type,
        importance=importance,
        facets=facets,
        tags=fact.tags,
        topics=fact.topics,
    )
