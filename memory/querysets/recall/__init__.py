"""Recall: one SQL statement that returns signals and score, and the memories they belong to.

    questions    what is asked
    words        what its words say
    candidates   which memories are ranked: all, or in a large space the likely ones
    statement    the parts put together
    fragments    how pieces of SQL become a statement that is written once

A space is small when ranking all of it is quicker than asking the approximate index, which all
spaces share: the smaller a space's part of the index, the more of it is passed in vain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from memory.models import Memory, Space
from memory.querysets.recall.questions import JUST_MISSED, Question, Shape, values
from memory.querysets.recall.statement import COLUMNS, numbers, statement
from memory.querysets.recall.words import LABEL_WEIGHTS

__all__ = ["JUST_MISSED", "LABEL_WEIGHTS", "Question", "Shape", "recalled"]

LARGE = 3000
"""With more vectors than this a space may be large. Measured: docs/ranking.md."""
WORTH_OF_INDEX = 850
"""A space is large when the square of its vectors is above so many times those of all spaces."""

_PLACE = 256
_SIZE = """
    SELECT memory_id,
        (SELECT reltuples FROM pg_class WHERE oid = 'memory_memoryembedding'::regclass)
    FROM memory_memoryembedding
    WHERE space_id = %s AND embedder_id = %s ORDER BY memory_id OFFSET %s LIMIT 1
"""
_FIELDS = [field.attname for field in COLUMNS]
_CONVERTERS = [
    (place, field.from_db_value)
    for place, field in enumerate(COLUMNS)
    if hasattr(field, "from_db_value")
]


def recalled(question: Question, shape: Shape, *, large: int = LARGE) -> Sequence[Memory]:
    """The live memories found, best first, each with `signal_*`, `score`, `time_coef` and
    `current_importance`; for an explanation also `rank` and `rank_without_*`.

    With more than `large` vectors the space may be ranked by its likely candidates only.
    """
    size = None if shape.profile.candidates else _size_if_large(question.space, large)
    if size is not None:
        found = _found(question, shape, size)
        # A filter that leaves few may leave none of the candidates.
        if len(found) >= shape.rows or not (shape.memory_types or shape.tags):
            return found
    return _found(question, shape, None)


def _size_if_large(space: Space, large: int) -> float | None:
    """How many vectors the space has, within a tenth, or None if it is small.

    Ids are random, so how far the first 256 reach tells how many there are (Bar-Yossef et al. 2002,
    the estimator by the k-th smallest hash): the same little work for any space.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SIZE, [space.pk, space.embedder_id, _PLACE - 1])
        row = cursor.fetchone()
    if row is None:
        return None
    size = (_PLACE - 1) / (row[0].int / 2**128)
    return size if size > large and size**2 > WORTH_OF_INDEX * max(row[1], size) else None


def _found(question: Question, shape: Shape, size: float | None) -> list[Memory]:
    dimensions = None if size is None else question.space.embedder.dimensions
    sql = statement(shape, dimensions)
    given = values(question, round(size or 0))
    with connection.cursor() as cursor:
        cursor.execute(sql.text, [given[mark] for mark in sql.parameters])
        rows = cursor.fetchall()
    return [_memory(row, numbers(shape)) for row in rows]


def _memory(row: tuple[Any, ...], names: Sequence[str]) -> Memory:
    """Without the guessing of a raw queryset, which cost three ms for ten rows."""
    columns = list(row[: len(COLUMNS)])
    for place, from_database in _CONVERTERS:
        columns[place] = from_database(columns[place], None, connection)
    memory = Memory.from_db(connection.alias, _FIELDS, columns)
    memory.__dict__ |= dict(zip(names, row[len(COLUMNS) :], strict=True))
    memory.__dict__["current_importance"] = memory.__dict__["signal_importance"]
    return memory
