"""Similarity search: the memories nearest to a vector, by the space's model."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from pgvector import HalfVector
from pgvector.django import CosineDistance, HalfVectorField

from accounts.models import Space
from foundation.readers import Reader
from memory.formulas.ranking import semantic
from memory.models import Memory, MemoryEmbedding
from memory.models.memories import MemoryQuerySet
from memory.recall.sql.sizes import LARGE, index_scan, size_if_large, uses_index

NEIGHBOURS = 5
SIMILAR = 0.3
"""Minimum similarity of the memories that a page shows as similar: texts that have nothing in
common reach 0.25 with the built-in model."""
ALIKE, AT_MOST = 0.98, 50
"""Minimum similarity at which a model may confuse different texts, as in a script it hardly
knows. Any of these may be the identical text, so all are examined, up to AT_MOST."""
REACH = 150
"""Number of vectors that the approximate index examines to find the nearest."""


@dataclass(frozen=True)
class Neighbour:
    """A memory near a statement, with its cosine similarity in [0, 1]."""

    memory: Memory
    similarity: float


def similar(memory: Memory, *, large: int = LARGE) -> list[Neighbour]:
    """Return the live memories of the same user that are SIMILAR to this one, nearest first; none
    if it has no vector yet."""
    space = memory.space
    own = vector_of(space, memory.pk)
    if own is None:
        return []
    near = nearest_live(space, own, memory.user_id, besides=memory.pk, large=large)
    return [one for one in near[:NEIGHBOURS] if one.similarity >= SIMILAR]


def vector_of(space: Space, memory_id: UUID) -> Any:
    """Return a memory's vector by the space's model, None if it has none yet."""
    vectors = MemoryEmbedding.objects.in_space(space).made_by(space.embedder)
    return vectors.filter(memory_id=memory_id).values_list("vector", flat=True).first()


def nearest_live(
    space: Space,
    vector: Any,
    user_id: str | None = None,
    *,
    besides: UUID | None = None,
    most: int = NEIGHBOURS,
    large: int = LARGE,
) -> list[Neighbour]:
    """Return the live memories nearest to a vector of the space's model, nearest first: `most` of
    them, and further ones that are ALIKE, up to AT_MOST. Only this user's own memories count, or
    for None only the shared ones: one user's words never affect another user's memories.

    In a large space this uses the embedder's approximate index if that is faster, as recall does.
    """
    owner = Reader.exactly(user_id)
    rows = Memory.objects.in_space(space).live().readable_by(owner)
    if besides is not None:
        rows = rows.exclude(pk=besides)
    size = size_if_large(space, large, owner)
    if not uses_index(space, size):
        return nearest(rows, space, vector, most=most)
    # The index contains vectors with this cast (embeddings.services).
    of_index = HalfVectorField(dimensions=space.embedder.dimensions)
    with index_scan(REACH):
        place = Cast(F("embeddings__vector"), of_index)
        indexed = _has_vector(space) & Q(embeddings__in_index=True)
        return _nearest(rows.filter(indexed), vector, place, most)


def nearest(
    rows: MemoryQuerySet, space: Space, vector: Any, *, most: int = NEIGHBOURS
) -> list[Neighbour]:
    """Return the memories among `rows` nearest to the vector, nearest first, by comparing it with
    each of them."""
    return _nearest(rows.filter(_has_vector(space)), vector, F("embeddings__vector"), most)


def _has_vector(space: Space) -> Q:
    return Q(embeddings__space_id=space.pk, embeddings__embedder_id=space.embedder_id)


def _nearest(rows: MemoryQuerySet, vector: Any, place: Combinable, most: int) -> list[Neighbour]:
    found = (
        rows.defer("search")
        .annotate(distance=CosineDistance(place, HalfVector(vector)))
        .order_by("distance")[:AT_MOST]
    )
    near = [Neighbour(one, semantic(one.distance)) for one in found]  # type: ignore[attr-defined]  # annotated above
    near.sort(key=lambda one: -one.similarity)
    alike = sum(one.similarity >= ALIKE for one in near)
    return near[: max(most, alike)]
