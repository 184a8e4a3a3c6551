"""Parts of recall's statement for long memories: their groups of sentences have vectors of their
own (embeddings.groups)."""

from __future__ import annotations

from django.db.models import F, Max, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from pgvector.django import CosineDistance, HalfVectorField

from memory.formulas import ranking_sql
from memory.models import FurtherEmbedding
from memory.models.memories import MemoryQuerySet
from memory.recall.sql.expressions import EMBEDDER, SPACE, VECTOR, raw, select

# Most memories are short: for them nothing is looked up.
_OF_GROUPS = "CASE WHEN found.further > 0 THEN {share} * ({best}) END"
SHARE = 0.8
"""Among many groups, one is near to any question. This share of its similarity counts: with more,
long answers took the places of short facts (BEAM, R@10)."""


def of_groups() -> str:
    """Return the SQL of the best similarity of a memory's groups, NULL for a short memory."""
    groups = FurtherEmbedding.objects.filter(
        space_id=SPACE, embedder_id=EMBEDDER, memory_id=raw("found.id")
    )
    fit = Max(ranking_sql.semantic(CosineDistance("vector", VECTOR)))
    best = select(groups.values("memory_id").values(best=fit))
    return _OF_GROUPS.format(best=best, share=SHARE)


def nearest(memories: MemoryQuerySet, count: int, dimensions: int | None) -> str:
    """Return the SELECT of the memories with the most similar groups; `dimensions` of the embedder
    if its index is used."""
    vector: Combinable = F("further_embeddings__vector")
    long = Q(further_embeddings__space_id=SPACE, further_embeddings__embedder_id=EMBEDDER)
    if dimensions:
        vector = Cast(vector, HalfVectorField(dimensions=dimensions))
        long &= Q(further_embeddings__in_index=True)
    near = memories.filter(long).order_by(CosineDistance(vector, VECTOR))
    return select(near.values("id")[:count])
