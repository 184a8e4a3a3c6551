"""How large a space is, and what follows from it.

A small space is ranked completely. In a large one that takes longer than finding the likely
candidates; the most similar among these come from the embedder's approximate index where that is
quicker than comparing with every vector of the space. All spaces share the index: the smaller a
space's part of it, the more of it is passed in vain.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.models import Space
from memory.querysets.prepared import fetch

LARGE = 2000
"""A space with more vectors than this is large. Measured: docs/ranking.md."""
WORTH_OF_INDEX = 3750
"""Above n² = 3,750 all (n vectors in the space, all in the table) the index is quicker.

Measured: to compare a vector takes 0.4 µs, so a scan 0.4 n. The index passes 10 µs apiece through
vectors of all spaces, of which one in all / n is ours, until it has the 150 that are wanted:
10 · 150 · all / n. Both are equal at n² = 1,500 / 0.4 · all."""

_PLACE = 256
_SIZE = """
    SELECT memory_id,
        (SELECT reltuples FROM pg_class WHERE oid = 'memory_memoryembedding'::regclass)
    FROM memory_memoryembedding
    WHERE space_id = {space} AND embedder_id = {embedder} ORDER BY memory_id OFFSET $1 LIMIT 1
"""


@dataclass(frozen=True)
class Size:
    """About how many vectors a space has, and whether the index finds its nearest quicker."""

    vectors: int
    worth_index: bool


def size_if_large(space: Space, large: int = LARGE) -> Size | None:
    """The size within a tenth, or None if it is small.

    Ids are random, so how far the first 256 reach tells how many there are: the same little work
    for a space of any size. Source: the estimate by the k-th smallest hash, Bar-Yossef et al. 2002.
    """
    # Numbers in the text, as in the ranking: otherwise PostgreSQL plans it anew each time.
    text = _SIZE.format(space=space.pk, embedder=space.embedder_id)
    row = fetch(text, [_PLACE - 1])
    if not row:
        return None
    [(last, all_vectors)] = row
    vectors = (_PLACE - 1) * 2**128 // max(last.int, 1)
    if vectors <= large:
        return None
    return Size(vectors, vectors**2 > WORTH_OF_INDEX * max(all_vectors, vectors))
