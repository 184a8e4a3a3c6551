"""Recall in the database: one statement that returns the best memories with signals and score.

questions the question and its rules sizes the size of the space statement the statement and its
parts, in their order whose the memories about someone other than the user candidates the memories
to rank words matches between the question's words and the memories expressions the formulas as text
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
from django.core.exceptions import EmptyResultSet

from memory.models import Memory
from memory.recall.sql.candidates import AMONG, fitting, reach
from memory.recall.sql.questions import JUST_MISSED, Question, Shape
from memory.recall.sql.sizes import LARGE, Size, fetch_in, index_scan, size_if_large, uses_index
from memory.recall.sql.statement import COPIES, MEMORY, OTHERS, PAST, numbers, statement_of
from memory.recall.sql.words import LABEL_WEIGHTS, SAMPLE
from memory.text import lexemes

__all__ = [
    "JUST_MISSED",
    "LABEL_WEIGHTS",
    "OTHERS",
    "PAST",
    "Question",
    "Shape",
    "recalled",
]


def recalled(question: Question, shape: Shape, *, large: int = LARGE) -> Sequence[Memory]:
    """Return the live memories found, best first, each with `signal_*`, `score`, `time_coef` and
    `current_importance`; for an explanation also `rank` and `rank_without_*`.

    For a reader with more than `large` memories, only likely candidates may be ranked, unless the
    filters leave at most `large` of them. In such a space a text may have so many copies that they
    fill all candidates; then fewer are found.
    """
    try:
        return _each_once(question, shape.asked_by(question), large)
    except EmptyResultSet:  # Django knows that no memory fits the caller's condition
        return []


def _each_once(question: Question, shape: Shape, large: int) -> list[Memory]:
    found = _best(question, shape, large)
    copies = [compared for memory in found if (compared := vars(memory)[COPIES])]
    if shape.each_once and len(copies) < shape.rows and sum(copies) == shape.window:
        return _best(question, replace(shape, widened=True), large)
    return found


def _best(question: Question, shape: Shape, large: int) -> list[Memory]:
    size = None
    if not shape.profile.candidates:
        size = size_if_large(question.space, large, question.reader)
    if size is None or (shape.is_filtered and _ranks_all(question, shape, size, large)):
        return _found(question, shape, statement_of(shape))
    found = _of_likely(question, shape, size)
    if shape.is_filtered and len(found) < shape.rows:
        # The filter may have excluded all candidates.
        return _found(question, shape, statement_of(shape))
    return found


def _ranks_all(question: Question, shape: Shape, size: Size, large: int) -> bool:
    """Return whether all memories that the filters leave are ranked: they are few, or the space has
    no index that is faster."""
    if not uses_index(question.space, size):
        return True
    text = f"SELECT count(*) FROM ({fitting(shape, large + 1)}) AS fitting"  # noqa: S608 - our own SQL
    [(count,)] = fetch_in(question.space, text, _values(question, shape, size))
    return bool(count <= large)


def _of_likely(question: Question, shape: Shape, size: Size) -> list[Memory]:
    by_index = uses_index(question.space, size)
    dimensions = question.space.embedder.dimensions if by_index else None
    sql = statement_of(shape, likely=True, dimensions=dimensions)
    with index_scan(reach(shape)) if by_index else nullcontext():
        return _found(question, shape, sql, size)


def _found(question: Question, shape: Shape, sql: str, size: Size | None = None) -> list[Memory]:
    names = numbers(shape)
    rows = fetch_in(question.space, sql, _values(question, shape, size))
    return [_memory(row, names) for row in rows]


def _values(question: Question, shape: Shape, size: Size | None) -> dict[str, Any]:
    # The seeds' formulas stay as they are.
    vector = question.compared if shape.profile.lexical else question.vector
    return {
        "vector": _halves(vector),
        "text": lexemes.prepare_question(question.text, question.now),
        "configuration": lexemes.configuration(shape.language),
        "now": question.now,
        "without": list(question.without),
        # Memories below the minimum score are ranked too, and may be just missed.
        "least": 0.0 if shape.explain else shape.min_score,
        "per_sampled": size.vectors / SAMPLE if size else 1.0,
        "arrived_after": size.last_id - AMONG if size else 0,
        "user": question.reader.user_id,
        "agent": question.agent_id,
        "session": question.session_id,
        "since": question.time.since,
        "until": question.time.until,
        "before": question.time.before,
    }


def _halves(vector: npt.NDArray[np.float32]) -> str:
    """Return the vector in pgvector's text form, which is JSON, for two bytes per number."""
    return orjson.dumps(vector.astype(np.float16), option=orjson.OPT_SERIALIZE_NUMPY).decode()


def _memory(row: Sequence[Any], names: Sequence[str]) -> Memory:
    memory = MEMORY.made_of(row[: len(MEMORY)])
    vars(memory).update(zip(names, row[len(MEMORY) :], strict=True))
    return memory
