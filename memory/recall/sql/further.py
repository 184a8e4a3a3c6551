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

# Looked up one by one: most memories found are short, and cost nothing.
_OF_LONG = """
    SELECT found.id, best.semantic
    FROM found, LATERAL ({best}) AS best WHERE found.further > 0
"""


def of_long() -> str:
    """Return the SELECT of the best similarity of the groups of each long memory found."""
    own = FurtherEmbedding.objects.filter(
        space_id=SPACE, embedder_id=EMBEDDER, memory_id=raw("found.id")
    )
    fit = Max(ranking_sql.semantic(CosineDistance("vector", VECTOR)))
    return _OF_LONG.format(best=select(own.values("memory_id").annotate(semantic=fit)))


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
