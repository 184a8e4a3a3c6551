"""Which memories are ranked.

In a small space all of them: the answer is exact. In a large one those that some signal puts first,
each found by its own index; only these are scored, by the same formulas:

    near          most similar, from the embedder's approximate index
    telling       most answered by rare words, from the text index
    newest        for what recency weighs
    weightiest    for what importance weighs: by its base, above what time leaves of it
"""

from __future__ import annotations

from math import ceil

from django.db.models import BooleanField, F, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast
from pgvector.django import CosineDistance, HalfVectorField

from memory.models import MemoryEmbedding
from memory.querysets.memories import MemoryQuerySet
from memory.querysets.recall.fragments import Fragment, rows
from memory.querysets.recall.questions import EMBEDDER, SPACE, VECTOR, Shape

REACH = 150
"""How many the strongest signal of a profile brings, at the least."""

# Read by the index when its scan begins, which `near` makes wait for this row. "true": until the
# transaction ends. Iterative: what is filtered out does not count as found.
_REACHED = """
    SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true) IS NOT NULL
        AND set_config('hnsw.ef_search', %s, true) IS NOT NULL AS ready
"""
_NEAR = "SELECT near.memory_id AS id FROM reached, LATERAL ({near}) AS near"
_TELLING = """
    SELECT rare.id
    FROM rare JOIN words ON words.number = rare.number
    GROUP BY rare.id ORDER BY sum(rare.match * words.rarity) DESC, rare.id LIMIT %s
"""
_MAX_EF = 1000  # pgvector's own limit


def all_of(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    """All that the profile ranks."""
    if shape.profile.candidates != "importance":
        return memories
    best = memories.order_by(F("current_importance").desc(), "id")[: shape.recall.candidate_limit]
    return memories.filter(pk__in=best.values("pk"))


def likely(memories: MemoryQuerySet, shape: Shape, dimensions: int) -> dict[str, Fragment]:
    """`candidates`, and what they are chosen by."""
    if shape.profile.order == "created_at":
        newest = memories.order_by("-created_at", "pk").values("pk")
        return {"candidates": rows(newest[: shape.rows])}
    weights, reach = shape.profile.weights, max(REACH, 5 * shape.rows)
    heaviest = max(weights.values())
    chosen = {
        "near": _near(memories, reach, dimensions),
        "telling": Fragment(_TELLING, (reach,)),
    }
    for name, signal, order in (
        ("newest", "recency", "-created_at"),
        ("weightiest", "importance", "-importance"),
    ):
        if count := ceil(reach * weights.get(signal, 0.0) / heaviest):
            chosen[name] = rows(memories.order_by(order).values("id")[:count])
    each = " UNION ".join(f"TABLE {name}" for name in chosen)
    reached = Fragment(_REACHED, (str(min(reach, _MAX_EF)),))
    return {"reached": reached, **chosen, "candidates": Fragment(each)}


def chosen(memories: MemoryQuerySet) -> MemoryQuerySet:
    """Those that `candidates` names."""
    return memories.filter(pk__in=RawSQL("SELECT id FROM candidates", ()))


def _near(memories: MemoryQuerySet, reach: int, dimensions: int) -> Fragment:
    """The cast is the one of the index (services.embedders)."""
    vector = Cast(F("vector"), HalfVectorField(dimensions=dimensions))
    nearest = MemoryEmbedding.objects.filter(
        RawSQL("reached.ready", (), output_field=BooleanField()),
        space_id=SPACE,
        embedder_id=EMBEDDER,
    ).order_by(CosineDistance(vector, Value(VECTOR)))
    return Fragment(_NEAR).filled(near=rows(nearest.values("memory_id")[:reach]))
