"""Spaces for the benchmarks of recall: some filled with plausible memories, many small ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import uuid4

SMALL_SIZE = 10


def filled(slug: str, size: int, now: datetime, *, embedded: bool = False) -> Any:
    """Return a new space with this many memories. If `embedded`, each has the vector of its own
    text."""
    from accounts.models import Embedder
    from benchmarks.corpus import fill
    from foundation.actors import SYSTEM
    from memory.spaces.services import create_space

    space = create_space(slug=slug, name=slug, embedder=Embedder.objects.get(), actor=SYSTEM)
    fill(space, size, now=now, seed=1, embedded=embedded)
    space.refresh_from_db(fields=["vectors_indexed"])  # a large one is marked meanwhile
    return space


@contextmanager
def without_vector_index() -> Iterator[None]:
    """Drop the approximate indexes for a while: building them after many rows takes a tenth of the
    time."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE indexdef ~ 'USING hnsw'")
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name}")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '4GB'")
        for _, definition in indexes:
            cursor.execute(definition)


def add_small(pattern: Any, first: int, last: int) -> None:
    """Add the spaces `first` to `last`, each with ten copies of the pattern's memories. One by one
    through the service would take minutes."""
    from accounts.models import Space
    from memory.models import MemoryEmbedding

    names = [f"bench-small-{number}" for number in range(first, last)]
    spaces = Space.objects.bulk_create(
        Space(slug=name, name=name, embedder_id=pattern.embedder_id) for name in names
    )
    vectors = MemoryEmbedding.objects.filter(space_id=pattern.pk).select_related("memory")
    rows = vectors.order_by("pk")
    dealt = rows.count() // SMALL_SIZE
    for start in range(0, len(spaces), dealt):
        _deal(list(rows), spaces[start : start + dealt])


def _deal(copies: Any, spaces: Any) -> None:
    from memory.models import Memory, MemoryEmbedding

    copies = copies[: len(spaces) * SMALL_SIZE]
    for number, copy in enumerate(copies):
        memory = copy.memory
        memory.pk = uuid4()
        memory.short_id = memory.pk.hex[:8]
        copy.pk, copy.memory, copy.in_index = None, memory, False
        copy.space = memory.space = spaces[number // SMALL_SIZE]
    Memory.objects.bulk_create([copy.memory for copy in copies], batch_size=1000)
    MemoryEmbedding.objects.bulk_create(copies, batch_size=1000)
