"""Finds the memories nearest in meaning to a vector, by the space's model."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from pgvector import HalfVector
from pgvector.django import CosineDistance, HalfVectorField

from memory.formulas.ranking import semantic
from memory.models import Memory, MemoryEmbedding, Space
from memory.models.memories import MemoryQuerySet
from memory.recall.sql.sizes import LARGE, index_scan, size_if_large

NEIGHBOURS = 5
ALIKE, AT_MOST = 0.98, 50
"""From this similarity on a model may hold texts for one, though they differ: those of a script it
hardly knows. The very same text may then be any of them, so all of these are looked at."""
REACH = 150
"""How many the approximate index looks at before it names the nearest."""


@dataclass(frozen=True)
class Neighbour:
    """An active memory near the new statement, with its cosine similarity in [0, 1]."""

    memory: Memory
    similarity: float


def similar(memory: Memory, *, large: int = LARGE) -> list[Neighbour]:
    """Return the active memories nearest to this one, nearest first; [] without a vector."""
    space = memory.space
    own = vector_of(space, memory.pk)
    if own is None:
        return []
    return nearest_live(space, own, besides=memory.pk, large=large)[:NEIGHBOURS]


def vector_of(space: Space, memory_id: UUID) -> Any:
    """Return a memory's vector by the space's model, or None if it has none yet."""
    vectors = MemoryEmbedding.objects.in_space(space).made_by(space.embedder)
    return vectors.filter(memory_id=memory_id).values_list("vector", flat=True).first()


def nearest_live(
    space: Space, vector: Any, *, besides: UUID | None = None, large: int = LARGE
) -> list[Neighbour]:
    """Return the active memories nearest to a vector of the space's model, nearest first.

    Includes all memories that are ALIKE. In a space of more than `large` vectors, the embedder's
    approximate index is used, as in recall.
    """
    rows = Memory.objects.in_space(space).live()
    if besides is not None:
        rows = rows.exclude(pk=besides)
    size = size_if_large(space, large)
    if not (size and size.worth_index):
        return nearest(rows, space, vector)
    # The index contains vectors with this cast (embeddings.services).
    of_index = HalfVectorField(dimensions=space.embedder.dimensions)
    with index_scan(REACH):
        return _nearest(rows, space, vector, Cast(F("embeddings__vector"), of_index))


def nearest(rows: MemoryQuerySet, space: Space, vector: Any) -> list[Neighbour]:
    """Return the memories of `rows` nearest to the vector, nearest first, by comparing
    with each.
    """
    return _nearest(rows, space, vector, F("embeddings__vector"))


def _nearest(rows: MemoryQuerySet, space: Space, vector: Any, place: Combinable) -> list[Neighbour]:
    found = (
        rows.defer("search")
        .filter(embeddings__space_id=space.pk, embeddings__embedder_id=space.embedder_id)
        .annotate(distance=CosineDistance(place, HalfVector(vector)))
        .order_by("distance")[:AT_MOST]
    )
    near = [Neighbour(one, semantic(one.distance)) for one in found]  # type: ignore[attr-defined]  # annotated above
    near.sort(key=lambda one: -one.similarity)
    alike = sum(one.similarity >= ALIKE for one in near)
    return near[: max(NEIGHBOURS, alike)]
