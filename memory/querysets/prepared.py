"""Reads that nearly every request makes, without what Django adds to each.

Django writes the SQL of a query anew each time, and its cursors put the values into the text, so
that PostgreSQL reads and plans it anew, too: together half a millisecond for a single row. Here the
text is written once, psycopg lets PostgreSQL keep what a connection sends often, and rows become
objects by the columns they were asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import psycopg
from django.db import connection
from django.db.models import Model

M = TypeVar("M", bound=Model)

PREPARED_AFTER, PREPARED = 5, 20
"""How often a connection sends a text before PostgreSQL is to keep it, and how many it keeps: the
largest takes half a megabyte there."""


def fetch(text: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """All rows of the answer. Raises Django's database errors.

    Behind a pooler that hands a connection to another at each transaction there is nothing to keep:
    Django's setting for that is heeded.
    """
    connection.ensure_connection()
    keeps = not connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS", False)
    with connection.wrap_database_errors:
        connection.connection.prepare_threshold = PREPARED_AFTER if keeps else None
        connection.connection.prepared_max = PREPARED
        with psycopg.Cursor(connection.connection) as cursor:
            rows = cursor.execute(text, parameters).fetchall()
    if connection.queries_logged:  # by who counts or times them
        connection.queries_log.append({"sql": text, "time": ""})
    return rows


class Columns(Generic[M]):
    """The columns of a model in an answer, and the objects they make."""

    def __init__(self, model: type[M], *, without: str = "") -> None:
        self._model = model
        self._fields = [f for f in model._meta.concrete_fields if f.name != without]
        self._names = [field.attname for field in self._fields]
        self._converters = [
            (place, field.from_db_value)
            for place, field in enumerate(self._fields)
            if hasattr(field, "from_db_value")
        ]

    def __len__(self) -> int:
        return len(self._fields)

    def of(self, table: str) -> str:
        """The columns for a SELECT: `table.id, table.name`."""
        return ", ".join(f"{table}.{field.column}" for field in self._fields)

    def made_of(self, values: Sequence[Any]) -> M:
        """The object of these columns. (A raw queryset's guessing cost three ms for ten rows.)"""
        values = list(values)
        for place, from_database in self._converters:
            values[place] = from_database(values[place], None, connection)
        return self._model.from_db(connection.alias, self._names, values)
