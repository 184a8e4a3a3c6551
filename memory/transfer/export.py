"""Export of a space as lines, in constant memory: one read-only snapshot, read through cursors."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Value

from accounts.models import Space
from foundation.readers import Reader
from memory.transfer.sections import FORMAT, VERSION, Section, sections

_ROWS = 500  # for each fetch


def count_rows(space: Space, reader: Reader) -> int:
    """Return the number of lines that the reader's export would have now, without the first and
    the last."""
    each = [
        _rows(space, reader, section).order_by().values(line=Value(1)) for section in sections()
    ]
    count: int = each[0].union(*each[1:], all=True).count()
    return count


def export_lines(space: Space, reader: Reader, *, now: datetime) -> Generator[str]:
    """Return every line of the file with the rows that the reader sees, each with its newline:
    header, rows, end.

    All lines show the same moment: a transaction stays open until the last line is read or the
    iterator is closed.
    """
    yield _line({"format": FORMAT, "version": VERSION, "exported_at": now, **_named(space)})
    rows = 0
    with _snapshot():
        for section in sections():
            for row in (
                _rows(space, reader, section).values(*section.fields).iterator(chunk_size=_ROWS)
            ):
                rows += 1
                section.leaves(row, reader)
                yield _line({"kind": section.kind, **row})
    yield _line({"kind": "end", "rows": rows})


def _named(space: Space) -> dict[str, Any]:
    return {
        "space": {"slug": space.slug, "name": space.name},
        "embedder": {"provider": space.embedder.provider, "model": space.embedder.model},
    }


def _rows(space: Space, reader: Reader, section: Section) -> Any:
    rows = section.model._base_manager.filter(space_id=space.pk).order_by(*section.order)
    return rows.filter(reader.where(section.owner)) if section.owner else rows


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
    """Return a time with microseconds, or an id, as text."""
    return value.isoformat() if isinstance(value, datetime) else str(value)
