"""Recall in the database: one statement that returns the best memories with signals and score.

questions     the question and the options
sizes         the size of the space
statement     the statement and its parts, in order
candidates    the memories that are ranked
words         the matches of the question's words
expressions   the formulas as SQL text
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from pgvector import HalfVector

from memory.models import Memory
from memory.recall.sql.candidates import reach
from memory.recall.sql.questions import JUST_MISSED, Question, Shape
from memory.recall.sql.sizes import LARGE, Size, index_scan, size_if_large
from memory.recall.sql.statement import statement
from memory.recall.sql.words import LABEL_WEIGHTS, SAMPLE
from memory.text import lexemes

__all__ = ["JUST_MISSED", "LABEL_WEIGHTS", "Question", "Shape", "recalled"]


def recalled(question: Question, shape: Shape, *, large: int = LARGE) -> Sequence[Memory]:
    """Return the active memories found, best first, with their numbers as attributes.

    These are `signal_*`, `score`, `time_coef` and `current_importance`; for an explanation also
    `rank` and `rank_without_*`. In a space of more than `large` memories, only the likely
    candidates may be ranked.
    """
    size = None if shape.profile.candidates else size_if_large(question.space, large)
    if size is None or (shape.is_filtered and not size.worth_index):
        return _found(question, shape, statement(shape))
    found = _of_likely(question, shape, size)
    if shape.is_filtered and len(found) < shape.rows:
        # A strict filter may exclude all candidates.
        return _found(question, shape, statement(shape))
    return found


def _of_likely(question: Question, shape: Shape, size: Size) -> list[Memory]:
    by_index = size.worth_index
    dimensions = question.space.embedder.dimensions if by_index else None
    sql = statement(shape, likely=True, dimensions=dimensions)
    with index_scan(reach(shape)) if by_index else nullcontext():
        return _found(question, shape, sql, per_sampled=size.vectors / SAMPLE)


def _found(question: Question, shape: Shape, sql: str, per_sampled: float = 1.0) -> list[Memory]:
    values = {
        "space": question.space.pk,
        "embedder": question.space.embedder_id,
        "vector": HalfVector(question.vector).to_text(),
        "text": lexemes.prepare_question(question.text),
        "configuration": lexemes.configuration(shape.language),
        "now": question.now,
        # Memories below the minimum score also have a rank, and may have just missed.
        "least": 0.0 if shape.explain else shape.min_score,
        "per_sampled": per_sampled,
    }
    return list(Memory.objects.raw(sql, values))
