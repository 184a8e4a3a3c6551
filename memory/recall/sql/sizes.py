"""Estimates a space's size, to decide whether to use the approximate index.

A small space is ranked completely. All spaces share the index of their embedder: the smaller a
space's share, the more of the index is read in vain, and comparing with all its vectors is faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection, transaction

from memory.models import Space

LARGE = 2000
"""A space with more live memories than this is large. Measured: docs/ranking.md."""
WORTH_OF_INDEX = 2500
"""Above n² = 2,500 all (n vectors in the space, all in the table) the index is quicker.

Measured: to compare a vector takes 0.4 µs, so a scan 0.4 n. The index passes 10 µs apiece through
vectors of all spaces, of which one in all / n is ours, until it has the 100 that are wanted:
10 · 100 · all / n. Both are equal at n² = 1,000 / 0.4 · all."""

_PLACE = 256
_IS_LARGE = """
    SELECT FROM memory_memory WHERE space_id = %(space)s AND status = 'live'
    OFFSET %(large)s LIMIT 1
"""
# Ids are random, so the 256th smallest gives the number of ids, for any size. Source: the estimate
# by the k-th smallest hash, Bar-Yossef et al. 2002.
_SIZE = """
    SELECT memory_id,
        (SELECT reltuples FROM pg_class WHERE oid = 'memory_memoryembedding'::regclass)
    FROM memory_memoryembedding
    WHERE space_id = %(space)s AND embedder_id = %(embedder)s
    ORDER BY memory_id OFFSET %(before)s LIMIT 1
"""
_MAX_EF = 1000  # pgvector's own limit


@dataclass(frozen=True)
class Size:
    """The approximate number of a space's vectors, and whether the index is faster."""

    vectors: int
    worth_index: bool


def size_if_large(space: Space, large: int = LARGE) -> Size | None:
    """Return the size of the space within a tenth, or None if it is small."""
    with connection.cursor() as cursor:
        cursor.execute(_IS_LARGE, {"space": space.pk, "large": large})
        if not cursor.fetchall():
            return None
        cursor.execute(
            _SIZE, {"space": space.pk, "embedder": space.embedder_id, "before": _PLACE - 1}
        )
        found = cursor.fetchall()
    if not found:
        return None  # most of its memories have no vector yet
    [(last, all_vectors)] = found
    vectors = (_PLACE - 1) * 2**128 // max(last.int, 1)
    return Size(vectors, vectors**2 > WORTH_OF_INDEX * max(all_vectors, vectors))


@contextmanager
def index_scan(reach: int) -> Iterator[None]:
    """Let the approximate index return `reach` neighbours, within a transaction.

    The scan is iterative: it continues past memories of other spaces or in the bin.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),"
                " set_config('hnsw.ef_search', %s, true)",
                [str(min(reach, _MAX_EF))],
            )
        yield
