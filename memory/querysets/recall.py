"""Recall: one SQL statement that returns signals, contributions and score.

    signals   one row per candidate: each signal computed once (MATERIALIZED, because PostgreSQL
              would otherwise repeat every distance for each place that mentions it)
    ranked    contributions and score, ordered, cut to the limit
    select    the memories of those few rows

The text search query is inside the space: an OR over the whole table cost 194 ms at 100,000 rows.

The statement is written with Django's expressions, so that it uses the formulas' SQL twins; that
takes Django about 8 ms, longer than PostgreSQL needs to answer. So it is written once for each
shape of question, with marks where the question's own values go, and only these are replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from django.contrib.postgres.search import SearchQuery, SearchQueryField, SearchRank
from django.db import connection
from django.db.models import F, FloatField, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Replace
from django_cte import CTE, with_cte
from pgvector import HalfVector
from pgvector.django import CosineDistance

from memory import lexemes
from memory.formulas import importance_sql, ranking_sql
from memory.formulas.ranking import SIGNALS, Profile
from memory.models import Memory, Space
from memory.policy import DecayPolicy, RecallPolicy
from memory.querysets.memories import MemoryQuerySet


@dataclass(frozen=True)
class Question:
    """What is asked, in the three forms recall needs."""

    space: Space
    text: str
    vector: npt.NDArray[np.float32]
    now: datetime


@dataclass(frozen=True)
class Shape:
    """Everything that the text of the statement depends on."""

    profile: Profile
    decay: DecayPolicy
    recall: RecallPolicy
    language: str
    limit: int
    memory_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


# What stands in a statement for the values of a question. No space or embedder has these numbers,
# and no policy holds these texts or this moment.
_SPACE, _EMBEDDER = -1, -2
_TEXT, _VECTOR = "\x00text", "\x00vector"
_NOW = datetime(1, 1, 1, tzinfo=UTC)


def recalled(question: Question, shape: Shape) -> Sequence[Memory]:
    """The live memories found, best first, each with `signal_*`, `contribution_*` and `score`."""
    statement, parameters = _statement(shape)
    values = {
        _SPACE: question.space.pk,
        _EMBEDDER: question.space.embedder_id,
        _TEXT: lexemes.prepare_question(question.text),
        _VECTOR: HalfVector(question.vector).to_text(),
        _NOW: question.now,
    }
    return list(Memory.objects.raw(statement, [_given(values, p) for p in parameters]))


def _given(values: dict[Any, Any], parameter: Any) -> Any:
    """The question's value where a mark stands. (1 and True and 1.0 are one key to a dict.)"""
    is_mark = isinstance(parameter, str | datetime) or type(parameter) is int
    return values.get(parameter, parameter) if is_mark else parameter


@lru_cache(maxsize=512)
def _statement(shape: Shape) -> tuple[str, tuple[Any, ...]]:
    """The SQL for questions of this shape, and its parameters with marks among them."""
    memories = Memory.objects.filter(space_id=_SPACE).live()
    if shape.memory_types:
        memories = memories.filter(memory_type__in=shape.memory_types)
    if shape.tags:
        memories = memories.filter(tags__contains=list(shape.tags))
    memories = memories.with_importance_now(decay=shape.decay, now=_NOW)
    candidates = _signals(memories, shape)
    top = _ranked(candidates, shape)
    found = with_cte(candidates, top, select=_explained(memories, top, shape.profile))
    sql, parameters = found.query.get_compiler(connection=connection).as_sql()
    return sql, tuple(parameters)


def _signals(memories: MemoryQuerySet, shape: Shape) -> CTE:
    """One row per candidate: id, created_at, and the four signals (text rank not yet scaled)."""
    rows = memories
    if shape.profile.candidates == "importance":
        best = rows.order_by(F("current_importance").desc(), "id")[: shape.recall.candidate_limit]
        rows = rows.filter(pk__in=best.values("pk"))
    age = importance_sql.age_days(F("created_at"), _NOW)
    distance = CosineDistance("embeddings__vector", Value(_VECTOR))
    rows = rows.filter(
        # Both named as literals: one shard then answers, from one index.
        embeddings__space_id=_SPACE,
        embeddings__embedder_id=_EMBEDDER,
    ).annotate(
        semantic=ranking_sql.semantic(distance),
        text_rank=SearchRank(F("search"), any_lexeme(shape.language)),
        recency=ranking_sql.recency(age, shape.recall.recency_scale_days),
    )
    columns = ("id", "created_at", "semantic", "text_rank", "recency", "current_importance")
    return CTE(rows.order_by().values(*columns), name="signals", materialized=True)


def any_lexeme(language: str) -> Cast:
    """A tsquery that asks for any lexeme of the question.

    `plainto_tsquery` joins them with AND, which finds nothing for four questions in five.
    """
    every = SearchQuery(Value(_TEXT), config=lexemes.configuration(language))
    as_text = Cast(every, TextField())
    return Cast(Replace(as_text, Value(" & "), Value(" | ")), SearchQueryField())


def _ranked(candidates: CTE, shape: Shape) -> CTE:
    """The first rows by the profile's order, each with its score."""
    best_rank = Subquery(
        candidates.queryset().order_by("-text_rank").values("text_rank")[:1],
        output_field=FloatField(),
    )
    rows = candidates.queryset().annotate(lexical=ranking_sql.lexical(F("text_rank"), best_rank))
    signals = {name: F(_column(name)) for name in SIGNALS}
    rows = rows.annotate(score=ranking_sql.score(signals, shape.profile))
    # An order by date has no score to fall below.
    if shape.recall.min_score > 0 and shape.profile.order == "score":
        rows = rows.filter(score__gte=shape.recall.min_score)
    return CTE(rows.order_by(*_order(shape.profile))[: shape.limit], name="ranked")


def _column(signal: str) -> str:
    return "current_importance" if signal == "importance" else signal


def _order(profile: Profile) -> tuple[str, str]:
    return ("-created_at", "id") if profile.order == "created_at" else ("-score", "id")


def _explained(memories: MemoryQuerySet, top: CTE, profile: Profile) -> QuerySet[Memory]:
    """The memories of the best rows with the numbers that put them there."""
    found = top.join(memories.defer("search"), id=top.col.id)
    found = found.annotate(
        score=top.col.score,
        **{f"signal_{name}": getattr(top.col, _column(name)) for name in SIGNALS},
    )
    parts = ranking_sql.contributions({name: F(f"signal_{name}") for name in SIGNALS}, profile)
    found = found.annotate(**{f"contribution_{name}": part for name, part in parts.items()})
    explained: QuerySet[Memory] = found.order_by(*_order(profile))
    return explained
