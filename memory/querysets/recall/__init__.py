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

from memory.models import Memory
from memory.querysets.prepared import fetch
from memory.querysets.recall.questions import JUST_MISSED, Question, Shape, values
from memory.querysets.recall.sizes import LARGE, Size, size_if_large
from memory.querysets.recall.statement import MEMORY, numbers, statement
from memory.querysets.recall.words import LABEL_WEIGHTS

__all__ = ["JUST_MISSED", "LABEL_WEIGHTS", "Question", "Shape", "recalled"]


def recalled(question: Question, shape: Shape, *, large: int = LARGE) -> Sequence[Memory]:
    """The live memories found, best first, each with `signal_*`, `score`, `time_coef` and
    `current_importance`; for an explanation also `rank` and `rank_without_*`.

    With more than `large` vectors the space may be ranked by its likely candidates only.
    """
    filtered = bool(shape.memory_types or shape.tags)
    size = None if shape.profile.candidates else size_if_large(question.space, large)
    if size and (size.worth_index or not filtered):
        found = _found(question, shape, size)
        # A filter that leaves few may leave none of the candidates.
        if len(found) == shape.rows or not filtered:
            return found
    return _found(question, shape, None)


def _found(question: Question, shape: Shape, size: Size | None) -> list[Memory]:
    # The plan that PostgreSQL keeps is made for this space, whose number is in the text.
    space = question.space
    dimensions = space.embedder.dimensions if size and size.worth_index else None
    sql = statement(shape, large=size is not None, dimensions=dimensions)
    text = sql.text.replace("{space}", f"{space.pk:d}")
    text = text.replace("{embedder}", f"{space.embedder_id:d}")
    given = values(question, size.vectors if size else 0)
    rows = fetch(text, [given[mark] for mark in sql.parameters])
    names = numbers(shape)
    return [_memory(row, names) for row in rows]


def _memory(row: tuple[Any, ...], names: Sequence[str]) -> Memory:
    memory = MEMORY.made_of(row[: len(MEMORY)])
    memory.__dict__ |= dict(zip(names, row[len(MEMORY) :], strict=True))
    memory.__dict__["current_importance"] = memory.__dict__["signal_importance"]
    return memory
