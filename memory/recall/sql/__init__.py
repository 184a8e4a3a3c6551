"""Recall: one SQL statement that returns signals and score, and the memories they belong to.

questions    what is asked
words        what its words say
sizes        whether a space is large
candidates   which memories are ranked: all, or in a large space the likely ones
statement    the parts put together
fragments    how pieces of SQL become a statement that is written once
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory.models import Memory, Space
from memory.recall.sql.fragments import Fragment
from memory.recall.sql.questions import JUST_MISSED, Question, Shape, values
from memory.recall.sql.sizes import LARGE, Size, known_if_large, size_if_large
from memory.recall.sql.statement import MEMORY, for_small, numbers, statement
from memory.recall.sql.words import LABEL_WEIGHTS
from memory.sql import fetch

__all__ = ["JUST_MISSED", "LABEL_WEIGHTS", "Question", "Shape", "recalled"]


def recalled(question: Question, shape: Shape, *, large: int = LARGE) -> Sequence[Memory]:
    """The live memories found, best first, each with `signal_*`, `score`, `time_coef` and
    `current_importance`; for an explanation also `rank` and `rank_without_*`.

    With more than `large` vectors the space may be ranked by its likely candidates only.
    """
    if shape.profile.candidates:
        return _of_all(question, shape)
    size = known_if_large(question.space, large)
    if size is None:
        # Nearly every space is small, and asked at once: its size only where nothing was found.
        found = _found(question, shape, for_small(shape, large))
        if found:
            return found
        size = size_if_large(question.space, large)
    filtered = bool(shape.memory_types or shape.tags)
    if size and (size.worth_index or not filtered):
        found = _of_large(question, shape, size)
        # A filter that leaves few may leave none of the candidates.
        if len(found) == shape.rows or not filtered:
            return found
    return _of_all(question, shape)


def _of_large(question: Question, shape: Shape, size: Size) -> list[Memory]:
    dimensions = question.space.embedder.dimensions if size.worth_index else None
    sql = statement(shape, large=True, dimensions=dimensions)
    return _found(question, shape, _for_one(question.space, sql), size.vectors)


def _of_all(question: Question, shape: Shape) -> list[Memory]:
    return _found(question, shape, _for_one(question.space, statement(shape)))


def _for_one(space: Space, sql: Fragment) -> Fragment:
    # The plan that PostgreSQL keeps is made for this space, whose number is in the text.
    text = sql.text.replace("{space}", f"{space.pk:d}")
    return Fragment(text.replace("{embedder}", f"{space.embedder_id:d}"), sql.parameters)


def _found(question: Question, shape: Shape, sql: Fragment, size: int = 0) -> list[Memory]:
    given = values(question, size)
    rows = fetch(sql.text, [given[mark] for mark in sql.parameters])
    names = numbers(shape)
    return [_memory(row, names) for row in rows]


def _memory(row: tuple[Any, ...], names: Sequence[str]) -> Memory:
    memory = MEMORY.made_of(row[: len(MEMORY)])
    memory.__dict__ |= dict(zip(names, row[len(MEMORY) :], strict=True))
    memory.__dict__["current_importance"] = memory.__dict__["signal_importance"]
    return memory
