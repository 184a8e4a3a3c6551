"""The size of a space, and the choice between the approximate index and a scan.

A small space is ranked completely. Large spaces share the index of their embedder
(embeddings.indexing). The smaller a space's share of the index, the more of the index is read in
vain, and the sooner a scan of the space's own vectors is faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Any

from django.db import connection, transaction

from accounts.models import Space
from foundation.database.sql import fetch
from foundation.readers import EVERYONE, Reader
from memory.embeddings.indexing import INDEXED_ABOVE

LARGE = 2000
"""A space with more live memories than this is large."""
WORTH_OF_INDEX = INDEXED_ABOVE
"""The index is quicker above n² = 2,500 all (n vectors in the space, all in the index). As n is at
most all, it is never quicker in a space with fewer vectors than this.

Measured: comparing a vector takes 0.4 µs, so a scan takes 0.4 n. The index reads vectors of all
its spaces, 10 µs each, of which one in all / n belongs to the space. It needs 100 of these:
10 · 100 · all / n. Both times are equal at n² = 1,000 / 0.4 · all."""

_PLACE = 256
# Ids are random, so the value of the 256th lowest gives an estimate of their number.
# Source: the estimate by the k-th smallest hash, Bar-Yossef et al. 2002.
_SIZE = """
    SELECT memory_id FROM memory_memoryembedding AS vector
    WHERE space_id = %(space)s AND embedder_id = %(embedder)s AND EXISTS (
        SELECT FROM memory_memory
        WHERE space_id = %(space)s AND status = 'live' AND {readable} OFFSET %(large)s
    ) {owned}
    ORDER BY memory_id OFFSET %(before)s LIMIT 1
"""
_OWNED = """
    AND EXISTS (
        SELECT FROM memory_memory AS memory
        WHERE memory.space_id = %(space)s AND memory.id = vector.memory_id AND {readable}
    )
"""
# A separate statement, because a distributed database cannot join its catalogue with the rows of a
# space.
_ALL = """
    SELECT
        (SELECT reltuples FROM pg_class WHERE oid = to_regclass('embedding_hnsw_%(embedder)s')),
        coalesce(
            pg_sequence_last_value(pg_get_serial_sequence('memory_memoryembedding', 'id')), 0
        )
"""
_IDS = re.compile(r"(?<!%)%\((space|embedder)\)s")  # not in a constant, whose % is doubled
_MAX_EF = 1000  # pgvector's own limit
_KEPT = 30  # seconds that a size is cached; asking for it takes a tenth of a search


@dataclass(frozen=True)
class Size:
    """The approximate number of a space's vectors, the number of vectors in the index once it has
    the space's own, and the id of the vector that was saved last.
    """

    vectors: int
    indexed: int
    last_id: int

    @property
    def worth_index(self) -> bool:
        """Return whether the index finds the nearest faster than a scan."""
        return self.vectors**2 > WORTH_OF_INDEX * self.indexed


def size_if_large(space: Space, large: int = LARGE, reader: Reader = EVERYONE) -> Size | None:
    """Return the size of the space, or of the reader's part of it, to within a tenth and at most
    half a minute old; None if it is small.
    """
    return _size(space, space.embedder_id, large, reader, monotonic() // _KEPT)


@lru_cache(maxsize=1000)
def _size(
    space: Space, embedder_id: int, large: int, reader: Reader, half_minute: float
) -> Size | None:
    """Return the size. The embedder and the half minute are only parts of the cache key."""
    owned = "" if reader.everyone else _OWNED.format(readable=reader.sql("memory.user_id"))
    text = _SIZE.format(readable=reader.sql("user_id"), owned=owned)
    found = fetch_in(space, text, {"large": large, "before": _PLACE - 1, "user": reader.user_id})
    if not found:
        return None  # or most of its memories have no vector yet
    [(last,)], [(indexed, last_id)] = found, fetch_in(space, _ALL, {})
    vectors = (_PLACE - 1) * 2**128 // max(last.int, 1)
    return Size(vectors, max(indexed or 0, vectors), last_id)


def uses_index(space: Space, size: Size | None) -> bool:
    """Return whether the space's vectors are in the index, and the index finds the nearest faster
    than a scan.
    """
    return space.vectors_indexed and size is not None and size.worth_index


def fetch_in(space: Space, text: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a query about one space. The ids of the space and its embedder become part
    of the text, because the best plan, which PostgreSQL caches by text, depends on the size of the
    space.
    """
    ids = {"space": str(space.pk), "embedder": str(space.embedder_id)}
    return fetch(_IDS.sub(lambda found: ids[found[1]], text), values)


@contextmanager
def index_scan(reach: int) -> Iterator[None]:
    """Open a transaction in which the approximate index returns at least `reach` nearest. The
    iterative scan continues past memories of other spaces or in the bin."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),"
                " set_config('hnsw.ef_search', %s, true)",
                [str(min(reach, _MAX_EF))],
            )
        yield
