"""The memories that say nearly the same as one: nearest by the space's model."""

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Cast
from pgvector import HalfVector
from pgvector.django import CosineDistance, HalfVectorField

from memory.formulas.ranking import semantic
from memory.models import Memory, MemoryEmbedding
from memory.querysets.recall.sizes import LARGE, size_if_large
from memory.reconciliation import Neighbour

SHOWN = 5


@transaction.atomic
def similar(memory: Memory, *, large: int = LARGE) -> list[Neighbour]:
    """The live memories nearest to this one, nearest first; none if it has no vector yet.

    In a space of more than `large` vectors by the embedder's approximate index, as recall does.
    """
    space = memory.space
    vectors = MemoryEmbedding.objects.in_space(space).made_by(space.embedder)
    own = vectors.filter(memory_id=memory.pk).values_list("vector", flat=True).first()
    if own is None:
        return []
    place: F | Cast = F("embeddings__vector")
    size = size_if_large(space, large)
    if size and size.worth_index:
        # The cast is the one of the index (services.embedders); filtered out is not found.
        place = Cast(place, HalfVectorField(dimensions=space.embedder.dimensions))
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true)")
    rows = Memory.objects.in_space(space).live().exclude(pk=memory.pk).defer("search")
    found = (
        rows.filter(embeddings__space_id=space.pk, embeddings__embedder_id=space.embedder_id)
        .annotate(distance=CosineDistance(place, HalfVector(own)))
        .order_by("distance")[:SHOWN]
    )
    near = [Neighbour(one, semantic(one.distance)) for one in found]  # type: ignore[attr-defined]  # annotated above
    return sorted(near, key=lambda one: -one.similarity)
