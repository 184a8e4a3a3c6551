"""How large a space is, and what follows from it.

A small space is ranked completely. In a large one that takes longer than finding the likely
candidates; the most similar among these come from the embedder's approximate index where that is
quicker than comparing with every vector of the space. All spaces share the index: the smaller a
space's part of it, the more of it is passed in vain.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from django.db.models import BooleanField, Q
from django.db.models.expressions import RawSQL

from memory.models import Space
from memory.recall.sql.fragments import Fragment
from memory.recall.sql.questions import SPACE
from memory.sql import fetch

LARGE = 2000
"""A space with more vectors than this is large. Measured: docs/ranking.md."""
WORTH_OF_INDEX = 2500
"""Above n² = 2,500 all (n vectors in the space, all in the table) the index is quicker.

Measured: to compare a vector takes 0.4 µs, so a scan 0.4 n. The index passes 10 µs apiece through
vectors of all spaces, of which one in all / n is ours, until it has the 100 that are wanted:
10 · 100 · all / n. Both are equal at n² = 1,000 / 0.4 · all."""

_PLACE = 256
_SIZE = """
    SELECT memory_id,
        (SELECT reltuples FROM pg_class WHERE oid = 'memory_memoryembedding'::regclass)
    FROM memory_memoryembedding
    WHERE space_id = $1 AND embedder_id = $2 ORDER BY memory_id OFFSET $3 LIMIT 1
"""
_COUNTED = """
    SELECT memories, memories <= %s AS are_few
    FROM (
        SELECT count(*) AS memories
        FROM (
            SELECT FROM memory_memory
            WHERE space_id BETWEEN %s AND %s AND status = 'live' LIMIT %s
        ) AS first
    ) AS counted
"""
OF_SMALL = Q(
    RawSQL("(SELECT are_few FROM live)", (), output_field=BooleanField()),
    space_id__gte=SPACE,
    space_id__lte=SPACE,
)
"""Rows of the space, if it is small; in a statement with the part `live`.

One plan serves all spaces. By `=` PostgreSQL would reckon with the mean of all spaces, and read the
whole table where there are few; by a range it reckons with a small part of the table.
"""


@dataclass(frozen=True)
class Size:
    """About how many vectors a space has, and whether the index finds its nearest quicker."""

    vectors: int
    worth_index: bool


_HOLDS = 60.0  # seconds
_known: dict[int, tuple[Size, float]] = {}
"""The sizes of large spaces and until when they hold: they say how to go about an answer, and some
thousands more or less make no difference to it."""


def size_if_large(space: Space, large: int = LARGE) -> Size | None:
    """The size within a tenth, or None if it is small.

    Ids are random, so how far the first 256 reach tells how many there are: the same little work
    for a space of any size. Source: the estimate by the k-th smallest hash, Bar-Yossef et al. 2002.
    """
    row = fetch(_SIZE, [space.pk, space.embedder_id, _PLACE - 1])
    if not row:
        return None
    [(last, all_vectors)] = row
    vectors = (_PLACE - 1) * 2**128 // max(last.int, 1)
    if vectors <= large:
        return None
    size = Size(vectors, vectors**2 > WORTH_OF_INDEX * max(all_vectors, vectors))
    _known[space.pk] = size, monotonic() + _HOLDS
    return size


def known_if_large(space: Space, large: int) -> Size | None:
    """The size of a large space, if it was asked within the last minute."""
    size, until = _known.get(space.pk, (None, 0.0))
    return size if size and size.vectors > large and monotonic() < until else None


def live(large: int) -> Fragment:
    """How many live `memories` the space has, counted no further than to tell if they `are_few`."""
    return Fragment(_COUNTED, (large, SPACE, SPACE, large + 1))
