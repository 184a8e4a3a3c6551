"""Selects the memories to rank: all, or in a large space the best by each signal.

near          most similar, by the embedder's approximate index or by comparing with all
telling       best matches of rare words, from the text index
newest        for the weight of recency
fresh         for a large weight of recency: the best by similarity and recency of very many
weightiest    for the weight of importance: by the base, which is at least the current value
candidates    the ids of all these
"""

from __future__ import annotations

from math import ceil
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.functions import Cast
from pgvector.django import CosineDistance, HalfVectorField

from memory.formulas import importance_sql, ranking_sql
from memory.formulas.expressions import double, float_result
from memory.models import Memory, MemoryEmbedding
from memory.models.memories import MemoryQuerySet, Status
from memory.recall.sql.expressions import EMBEDDER, NOW, SPACE, VECTOR, raw, select
from memory.recall.sql.questions import Shape

REACH = 100
"""How many the strongest signal of a profile brings, at the least."""

MUCH, NEWEST = 0.1, 5000
"""Recency that weighs above this share of the heaviest signal can lift what is far from the nearest
100: then so many of the newest are compared."""

_COLUMNS = (
    "id", "created_at", "search", "semantic", "recency", "time_coef", "current_importance"
)  # fmt: skip

_TELLING = """
    SELECT rare.id
    FROM rare JOIN words ON words.number = rare.number
    GROUP BY rare.id ORDER BY sum(rare.match * words.rarity) DESC, rare.id LIMIT {reach}
"""
# LIMIT 1: otherwise a planner that expects many candidates reads all memories.
_LOOKED_UP = "SELECT memory.* FROM candidates, LATERAL ({memory} LIMIT 1) AS memory"


def reach(shape: Shape) -> int:
    """Return the number of candidates of the strongest signal."""
    return max(REACH, 5 * shape.rows)


def of_all(shape: Shape) -> dict[str, str]:
    """Return the part `found`: a row for each memory that the profile ranks."""
    memories = _memories(shape)
    if shape.profile.candidates != "importance":
        return {"found": select(_signals(memories, shape).values(*_COLUMNS))}
    weighed = memories.with_importance_now(decay=shape.decay, now=NOW)
    best = weighed.order_by(F("current_importance").desc(), "id").values("id")
    return _looked_up(select(best[: shape.recall.candidate_limit]), shape)


def of_likely(shape: Shape, dimensions: int | None) -> dict[str, str]:
    """Return the part `found` with the likely candidates only, and the parts that select them.

    `dimensions` is the embedder's if its index is used.
    """
    memories = _memories(shape)
    if shape.profile.order == "created_at":
        return _looked_up(
            select(memories.order_by("-created_at", "id").values("id")[: shape.rows]), shape
        )
    by_index = dimensions and _near_by_index(memories, reach(shape), dimensions)
    chosen = {
        "near": by_index or _near_by_scan(reach(shape)),
        "telling": _TELLING.format(reach=reach(shape)),
        **_by_clock_and_weight(memories, shape),
    }
    union = " UNION ".join(f"TABLE {name}" for name in chosen)
    return {**chosen, **_looked_up(union, shape)}


def _memories(shape: Shape) -> MemoryQuerySet:
    memories = Memory.objects.filter(space_id=SPACE).live()
    if shape.memory_types:
        memories = memories.filter(memory_type__in=shape.memory_types)
    if shape.tags:
        memories = memories.filter(tags__contains=list(shape.tags))
    return memories


def _looked_up(ids: str, shape: Shape) -> dict[str, str]:
    one = _signals(_memories(shape).filter(pk=raw("candidates.id")), shape).values(*_COLUMNS)
    return {"candidates (id)": ids, "found": _LOOKED_UP.format(memory=select(one))}


def _compared(memories: MemoryQuerySet) -> MemoryQuerySet:
    """Return the memories that have a vector by the space's model."""
    return memories.filter(embeddings__space_id=SPACE, embeddings__embedder_id=EMBEDDER)


def _signals(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    """Annotate the signals that depend only on a memory and its vector."""
    age = importance_sql.age_days(F("created_at"), NOW)
    weighed = _compared(memories).with_importance_now(decay=shape.decay, now=NOW)
    return weighed.annotate(
        semantic=ranking_sql.semantic(CosineDistance("embeddings__vector", VECTOR)),
        recency=ranking_sql.recency(age, shape.recall.recency_scale_days),
    )


def _near_by_index(memories: MemoryQuerySet, count: int, dimensions: int) -> str:
    # The index contains vectors with this cast. Its scan continues until enough memories pass.
    vector = Cast(F("embeddings__vector"), HalfVectorField(dimensions=dimensions))
    return select(_compared(memories).order_by(CosineDistance(vector, VECTOR)).values("id")[:count])


def _near_by_scan(count: int) -> str:
    # Looking up every memory would take twice as long. Memories that are not active are few.
    hidden = Memory.objects.filter(space_id=SPACE, status__in=(Status.REVIEW, Status.BINNED))
    vectors = MemoryEmbedding.objects.filter(space_id=SPACE, embedder_id=EMBEDDER)
    vectors = vectors.exclude(memory_id__in=hidden.values("pk"))
    nearest = vectors.order_by(CosineDistance("vector", VECTOR))
    return select(nearest.values(found=F("memory_id"))[:count])


def _by_clock_and_weight(memories: MemoryQuerySet, shape: Shape) -> dict[str, str]:
    """Return the ids with most recency and importance: more ids for a larger weight."""
    heaviest = max(shape.profile.weights.values())
    recency, importance = shape.profile.recency / heaviest, shape.profile.importance / heaviest
    chosen: dict[str, QuerySet[Any, Any]] = {}
    if recency:
        chosen["newest"] = memories.order_by("-created_at")[: ceil(reach(shape) * recency)]
    if recency > MUCH:
        chosen["fresh"] = _fresh(memories, shape)
    if importance:
        chosen["weightiest"] = memories.order_by("-importance")[: ceil(reach(shape) * importance)]
    return {name: select(rows.values("id")) for name, rows in chosen.items()}


def _fresh(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    newest = memories.order_by("-created_at").values("id")[:NEWEST]
    weights = shape.profile
    fits = double(weights.semantic) * F("semantic") + double(weights.recency) * F("recency")
    found = _signals(memories.filter(pk__in=newest), shape).annotate(fits=float_result(fits))
    return found.order_by("-fits")[: reach(shape)]
