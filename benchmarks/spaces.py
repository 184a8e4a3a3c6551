"""Spaces for the benchmarks of recall, filled with plausible memories."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any


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
