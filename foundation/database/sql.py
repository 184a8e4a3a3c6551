"""The queries of every search (key, policy, recall), with plans that PostgreSQL caches.

Django builds the SQL of a query each time, and its cursors put the values into the text, so
PostgreSQL also plans it each time. With Django's own queries a search takes a third longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model
from django.db.models.base import ModelState

M = TypeVar("M", bound=Model)

PREPARED_AFTER, PREPARED = 5, 20
"""Number of times a connection sends a text before PostgreSQL keeps its plan, and the number of
plans it keeps."""


def fetch(text: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return all rows of a query with named values: `%(space)s`. Raises Django's database errors.

    Behind a pooler that shares connections between transactions, plans cannot be cached. Django's
    setting for this applies here too.
    """
    database = connections[DEFAULT_DB_ALIAS]
    database.ensure_connection()
    keeps = not database.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS", False)
    with database.wrap_database_errors:
        database.connection.prepare_threshold = PREPARED_AFTER if keeps else None
        database.connection.prepared_max = PREPARED
        with psycopg.Cursor(database.connection) as cursor:
            rows = cursor.execute(text, values, binary=True).fetchall()
    if database.queries_logged:  # by code that counts or times queries
        database.queries_log.append({"sql": text, "time": ""})
    return rows


class Columns(Generic[M]):
    """The columns of a model in an answer, and the objects made of them."""

    def __init__(self, model: type[M], *, without: str = "") -> None:
        self._model = model
        self._fields = [f for f in model._meta.concrete_fields if f.name != without]
        self._names = [field.attname for field in self._fields]

    def __len__(self) -> int:
        return len(self._fields)

    def of(self, table: str) -> str:
        """Return the columns for a SELECT: `table.id, table.name`."""
        return ", ".join(f"{table}.{field.column}" for field in self._fields)

    def made_of(self, values: Sequence[Any]) -> M:
        """Return the object of these columns, as if loaded by Django.

        Django's `from_db` sets one attribute after the other, which takes six times as long.
        """
        made = self._model.__new__(self._model)
        vars(made).update(zip(self._names, values, strict=True), _state=ModelState())
        made._state.adding, made._state.db = False, DEFAULT_DB_ALIAS
        return made
