"""Converts Django's expressions to text, so that the statement uses the formulas' own SQL.

Constants are written into the text; `%(space)s` and other values of a question stay parameters.
"""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import Expression, RawSQL
from psycopg.sql import Literal

from memory.models import Memory


def raw(text: str) -> RawSQL:
    """Return an expression for a column of the statement's named parts, or for a value of the
    question."""
    return RawSQL(text, ())  # noqa: S611 - our own names


SPACE, EMBEDDER = raw("%(space)s"), raw("%(embedder)s")
USER, AGENT, SESSION = raw("%(user)s"), raw("%(agent)s"), raw("%(session)s")
SINCE, UNTIL = raw("%(since)s::timestamptz"), raw("%(until)s::timestamptz")
VECTOR, NOW = raw("%(vector)s::halfvec"), raw("%(now)s::timestamptz")


def as_sql(value: Expression) -> str:
    """Return the text of an expression over columns of Memory, or over columns named by `raw`."""
    query = Memory.objects.all().query
    compiled = query.get_compiler(connection=connection).compile(value.resolve_expression(query))
    return _with_constants(*compiled)


def select(queryset: QuerySet[Any, Any]) -> str:
    """Return the text of a queryset's SELECT."""
    return _with_constants(*queryset.query.get_compiler(connection=connection).as_sql())


def _with_constants(text: str, constants: Any) -> str:
    first, *rest = text.split("%s")
    literals = (Literal(constant).as_string().replace("%", "%%") for constant in constants)
    pairs = zip(literals, rest, strict=True)
    return first + "".join(literal + piece for literal, piece in pairs)
