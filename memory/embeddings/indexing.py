"""The approximate indexes, which contain the vectors of large spaces only.

Recall compares all vectors of a small space, so an index would only cost space and time there. The
write that makes a space large marks the space and all its vectors. Each marked vector enters its
model's index, and later vectors are marked when they are written.
"""

from django.db import transaction

from accounts.models import Space
from foundation.database.locks import lock
from memory.models import FurtherEmbedding, MemoryEmbedding

INDEXED_ABOVE = 2500
"""A space with more vectors than this is large: the index is then faster than comparing all vectors
(recall.sql.sizes).
"""


def mark_if_large(space: Space) -> None:
    """Mark a large space and its vectors on commit, unless it is marked; that takes some seconds,
    once in the life of a space."""
    if _is_large(space):
        transaction.on_commit(lambda: _mark(space), robust=True)


def _is_large(space: Space) -> bool:
    return MemoryEmbedding.objects.in_space(space)[INDEXED_ABOVE : INDEXED_ABOVE + 1].exists()


@transaction.atomic
def _mark(space: Space) -> None:
    """Mark the space and its vectors. Waits for current writers of vectors, and further ones wait:
    the first of them marks, and those after it find the space marked."""
    lock(space.pk, "vectors")
    if Space.objects.filter(pk=space.pk, vectors_indexed=False).update(vectors_indexed=True):
        for vectors in (MemoryEmbedding.objects, FurtherEmbedding.objects):
            vectors.filter(space_id=space.pk, in_index=False).update(in_index=True)
