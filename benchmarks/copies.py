"""Fills a large space in minutes: rows like those that Ebb saves, with texts and vectors of their
own, written by a few statements."""

from datetime import datetime
from typing import Any

PATTERNS = 2_000  # memories that Ebb saves itself; the copies take over their other columns
AT_ONCE = 100_000
_OWN = ("id", "short_id", "content", "search", "created_at")

_PREPARE = """
    CREATE TEMP TABLE pattern AS
    SELECT row_number() OVER (ORDER BY id) - 1 AS place, * FROM memory_memory
    WHERE space_id = %(space)s AND status = 'live' AND source_assessment IS NULL
    ORDER BY id LIMIT %(patterns)s;
    CREATE TEMP TABLE pattern_event AS
    SELECT pattern.place, event.* FROM memory_memoryevent event
    JOIN pattern ON pattern.id = event.memory_id
    WHERE event.space_id = %(space)s AND event.action = 'created';
    CREATE TEMP TABLE incoming (n bigint, id uuid, content text, vector halfvec)
"""
_INCOMING = "COPY incoming (n, content, vector) FROM STDIN"
# Short ids are unique, and ids begin with them: multiplying by an odd number mixes without repeats.
_IDENTIFY = """
    UPDATE incoming SET id = (lpad(to_hex(n * 2654435761 %% 4294967296), 8, '0')
        || substr(gen_random_uuid()::text, 9))::uuid
"""
_FORGET_TAKEN = """
    DELETE FROM incoming USING memory_memory
    WHERE space_id = %(space)s AND short_id = left(incoming.id::text, 8)
"""
_MEMORIES = """
    INSERT INTO memory_memory (id, short_id, content, search, created_at, {columns})
    SELECT incoming.id, left(incoming.id::text, 8), incoming.content,
        setweight(to_tsvector('english', incoming.content), 'A'),
        %(now)s::timestamptz - random() * interval '365 days', {of_pattern}
    FROM incoming JOIN pattern ON place = n %% %(patterns)s
"""
_VECTORS = """
    INSERT INTO memory_memoryembedding (space_id, embedder_id, memory_id, vector)
    SELECT %(space)s, %(embedder)s, id, vector FROM incoming
"""
_EVENTS = """
    INSERT INTO memory_memoryevent (memory_id, content, {columns})
    SELECT incoming.id, CASE pattern.content WHEN '' THEN '' ELSE incoming.content END, {of_pattern}
    FROM incoming JOIN pattern_event AS pattern ON place = n %% %(patterns)s
"""


def add_copies(space: Any, first: int, last: int, now: datetime) -> None:
    """Add the memories `first` to `last` to a space with the memories that Ebb saved itself."""
    from django.db import connection

    from memory.embeddings.indexing import mark_if_large
    from memory.models import Memory, MemoryEvent

    values = {"space": space.pk, "embedder": space.embedder_id, "now": now, "patterns": PATTERNS}
    statements = (
        _IDENTIFY,
        _FORGET_TAKEN,
        _with_columns(_MEMORIES, Memory, _OWN),
        _VECTORS,
        _with_columns(_EVENTS, MemoryEvent, ("id", "memory_id", "content")),
        "TRUNCATE incoming",
    )
    with connection.cursor() as cursor:
        for statement in _PREPARE.split(";"):
            cursor.execute(statement, values)
        for start in range(first, last, AT_ONCE):
            _copy(cursor, space, start, min(start + AT_ONCE, last))
            for statement in statements:
                cursor.execute(statement, values)
        cursor.execute("DROP TABLE pattern, pattern_event, incoming")
    mark_if_large(space)
    space.refresh_from_db(fields=["vectors_indexed"])


def _with_columns(statement: str, model: Any, own: tuple[str, ...]) -> str:
    columns = [field.column for field in model._meta.concrete_fields if field.column not in own]
    of_pattern = ", ".join(f"pattern.{column}" for column in columns)
    return statement.format(columns=", ".join(columns), of_pattern=of_pattern)


def _copy(cursor: Any, space: Any, first: int, last: int) -> None:
    from pgvector import HalfVector

    from benchmarks.corpus import blended

    texts, vectors = blended(space, last - first, seed=first)
    with cursor.copy(_INCOMING) as copy:
        for n, (text, vector) in enumerate(zip(texts, vectors, strict=True), first):
            copy.write_row((n, text, HalfVector(vector).to_text()))
    print(f"{last:,} memories", flush=True)
