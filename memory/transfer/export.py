"""A space as lines, in constant memory: one read-only snapshot, read through cursors."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Value

from memory.models import Space
from memory.transfer.sections import FORMAT, VERSION, Section, sections

_ROWS = 500  # at once


def count_rows(space: Space) -> int:
    """How many lines, the first and the last apart, an export would have now."""
    each = [_rows(space, section).order_by().values(line=Value(1)) for section in sections()]
    count: int = each[0].union(*each[1:], all=True).count()
    return count


def export_lines(space: Space, *, now: datetime) -> Generator[str]:
    """Every line of the space's file, each with its newline: what it is, its rows, its end.

    All as of one moment: a transaction is open until the last line is taken or the iterator closed.
    """
    yield _line({"format": FORMAT, "version": VERSION, "exported_at": now, **_named(space)})
    rows = 0
    with _snapshot():
        for section in sections():
            for row in _rows(space, section).values(*section.fields).iterator(chunk_size=_ROWS):
                rows += 1
                yield _line({"kind": section.kind, **row})
    yield _line({"kind": "end", "rows": rows})


def _named(space: Space) -> dict[str, Any]:
    return {
        "space": {"slug": space.slug, "name": space.name},
        "embedder": {"provider": space.embedder.provider, "model": space.embedder.model},
    }


def _rows(space: Space, section: Section) -> Any:
    return section.model._base_manager.filter(space_id=space.pk).order_by(*section.order)


@contextmanager
def _snapshot() -> Iterator[None]:
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _line(values: dict[str, Any]) -> str:
    return json.dumps(values, default=_text, ensure_ascii=False, separators=(",", ":")) + "\n"


def _text(value: object) -> str:
    """Moments to the microsecond, and ids."""
    return value.isoformat() if isinstance(value, datetime) else str(value)
