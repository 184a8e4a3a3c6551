"""SQL of the sweep that is the same for each kind of removal."""

from collections.abc import Sequence
from typing import Any

from django.db import connection, models

from accounts.models import Space
from memory.models import Memory


def without_memory(space: Space) -> tuple[str, list[Any]]:
    """Return the statements for rows that refer to purged memories, according to their foreign
    keys.

    Read from the models, so that an app above this one may refer to memories too. The keys are
    checked at commit, so the order does not matter.
    """
    parts: list[str] = []
    for relation in Memory._meta.related_objects:
        table, column = relation.related_model._meta.db_table, relation.field.column
        kept = relation.on_delete is models.SET_NULL
        verb = f"UPDATE {table} SET {column} = NULL" if kept else f"DELETE FROM {table}"  # noqa: S608 - our own names
        own = "WHERE space_id = %s"
        parts.append(f"without_{len(parts)} AS ({verb} {own} AND {column} IN (TABLE held_ids)),")
    return "\n".join(parts), [space.pk] * len(parts)


def compiled(rows: models.QuerySet[Any, Any]) -> tuple[str, Sequence[Any]]:
    """Return the SQL of a query, and its values."""
    sql, values = rows.query.get_compiler(connection=connection).as_sql()
    return sql, values
