"""Joins memories of an exchange into one, or splits one, as a person says."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from assessor.lessons import Lesson
from assessor.models import Assessment
from assessor.saving.reassessed import next_place
from foundation.actors import Actor
from foundation.errors import Conflict
from memory.consolidation.drafts import draft_of, keep_uses
from memory.drafts import MemoryDraft
from memory.models import BinReason, Memory, Reason
from memory.reconciliation.services import one_at_a_time
from memory.retention.recycle_bin import move_to_bin
from memory.store.services import Prepared, prepare_memories, store_memories


def regroup(
    *, assessment: Assessment, memory_ids: Collection[UUID], texts: Sequence[str], actor: Actor,
    now: datetime,
) -> list[Memory]:  # fmt: skip
    """Save the texts as memories of the exchange in place of these, which move to the bin; return
    the new ones. Discarding a new memory restores the old ones.

    A new memory has the type and importance of the most important old one and lives as long as any.
    Raises Conflict if an old one is not active, and EmbeddingError.
    """
    sources = [one for one in assessment.memories if one.pk in memory_ids]
    prepared = prepare_memories(
        space=assessment.space,
        drafts=_drafts(sources, texts),
        now=now,
        source_assessment=assessment.pk,
        source_place=next_place(assessment),
    )
    return _replace(assessment, sources, prepared, actor.in_action(), now)


def _drafts(sources: Sequence[Memory], texts: Sequence[str]) -> list[MemoryDraft]:
    leading = max(sources, key=lambda one: one.importance)
    common = {
        "memory_type": leading.memory_type,
        "importance": leading.importance,
        "pinned": any(one.pinned for one in sources),
    }
    return [draft_of(common | {"content": text}, sources) for text in texts]


@transaction.atomic
def _replace(
    assessment: Assessment, sources: Sequence[Memory], prepared: Prepared, actor: Actor,
    now: datetime,
) -> list[Memory]:  # fmt: skip
    space, ids = prepared.space, [one.pk for one in sources]
    one_at_a_time(space)
    if Memory.objects.in_space(space).live().filter(pk__in=ids).count() < len(ids):
        raise Conflict("One of these memories is no longer active.")
    made = store_memories(prepared=prepared, actor=actor, now=now)
    for memory in made:
        keep_uses(space=space, memory=memory, sources=sources, policy=prepared.policy)
    why: dict[str, Any] = {
        "why": BinReason.SUPERSEDED, "reason": Reason("replaced", made[0].content),
    }  # fmt: skip
    for pk in ids:
        move_to_bin(space=space, memory_id=pk, actor=actor, now=now, **why)
    Lesson.objects.bulk_create(
        Lesson(space=space, assessment=assessment, position=place, memory=memory)
        for place, memory in enumerate(made, prepared.source_place)
    )
    return made
