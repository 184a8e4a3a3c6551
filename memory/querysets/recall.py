"""Recall: one SQL statement that returns signals, contributions and score.

    signals   one row per candidate: each signal computed once (MATERIALIZED, because PostgreSQL
              would otherwise repeat every distance for each place that mentions it)
    ranked    contributions and score, ordered, cut to the limit
    select    the memories of those few rows

The text search query is inside the space: an OR over the whole table cost 194 ms at 100,000 rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from django.contrib.postgres.search import SearchQuery, SearchQueryField, SearchRank
from django.db.models import F, FloatField, Subquery, TextField, Value
from django.db.models.functions import Cast, Replace
from django_cte import CTE, with_cte
from pgvector import HalfVector
from pgvector.django import CosineDistance

from memory import lexemes
from memory.formulas import importance_sql, ranking_sql
from memory.formulas.ranking import SIGNALS, Profile

if TYPE_CHECKING:
    from memory.models import Memory, Space
    from memory.policy import PolicyDocument
    from memory.querysets.memories import MemoryQuerySet


@dataclass(frozen=True)
class Question:
    """What is asked, in the three forms recall needs."""

    space: Space
    text: str
    vector: npt.NDArray[np.float32]
    now: datetime


def any_lexeme(text: str, language: str) -> Cast:
    """A tsquery that asks for any lexeme of the text.

    `plainto_tsquery` joins them with AND, which finds nothing for four questions in five.
    """
    every = SearchQuery(lexemes.prepare(text), config=lexemes.configuration(language))
    as_text = Cast(every, TextField())
    return Cast(Replace(as_text, Value(" & "), Value(" | ")), SearchQueryField())


def signals(
    memories: MemoryQuerySet, question: Question, profile: Profile, policy: PolicyDocument
) -> CTE:
    """One row per candidate: id, created_at, and the four signals (text rank not yet scaled)."""
    rows = memories.with_importance_now(decay=policy.decay, now=question.now)
    if profile.candidates == "importance":
        best = rows.order_by(F("current_importance").desc(), "id")[: policy.recall.candidate_limit]
        rows = rows.filter(pk__in=best.values("pk"))
    age = importance_sql.age_days(F("created_at"), question.now)
    distance = CosineDistance("embeddings__vector", HalfVector(question.vector))
    rows = rows.filter(
        # Both named as literals: one shard then answers, from one index.
        embeddings__space_id=question.space.pk,
        embeddings__embedder_id=question.space.embedder_id,
    ).annotate(
        semantic=ranking_sql.semantic(distance),
        text_rank=SearchRank(F("search"), any_lexeme(question.text, policy.language)),
        recency=ranking_sql.recency(age, policy.recall.recency_scale_days),
    )
    columns = ("id", "created_at", "semantic", "text_rank", "recency", "current_importance")
    return CTE(rows.order_by().values(*columns), name="signals", materialized=True)


def ranked(candidates: CTE, profile: Profile, *, limit: int, min_score: float) -> CTE:
    """The first `limit` rows by the profile's order, each with contributions and score."""
    rank = F("text_rank")
    best_rank = Subquery(
        candidates.queryset().order_by("-text_rank").values("text_rank")[:1],
        output_field=FloatField(),
    )
    rows = candidates.queryset().annotate(lexical=ranking_sql.lexical(rank, best_rank))
    columns = {name: F(_column(name)) for name in SIGNALS}
    rows = rows.annotate(score=ranking_sql.score(columns, profile))
    if min_score > 0:
        rows = rows.filter(score__gte=min_score)
    order = ("-created_at", "id") if profile.order == "created_at" else ("-score", "id")
    return CTE(rows.order_by(*order)[:limit], name="ranked")


def _column(signal: str) -> str:
    return "current_importance" if signal == "importance" else signal


def recalled(
    memories: MemoryQuerySet,
    question: Question,
    profile: Profile,
    policy: PolicyDocument,
    *,
    limit: int,
) -> Sequence[Memory]:
    """The memories found, best first, each with `signal_*`, `contribution_*` and `score`."""
    candidates = signals(memories, question, profile, policy)
    top = ranked(candidates, profile, limit=limit, min_score=policy.recall.min_score)
    found = top.join(
        memories.with_importance_now(decay=policy.decay, now=question.now), id=top.col.id
    )
    values = {name: getattr(top.col, _column(name)) for name in SIGNALS}
    found = found.annotate(
        score=top.col.score, **{f"signal_{name}": value for name, value in values.items()}
    ).annotate(
        **{
            f"contribution_{name}": value
            for name, value in ranking_sql.contributions(
                {name: F(f"signal_{name}") for name in SIGNALS}, profile
            ).items()
        }
    )
    order = ("-created_at", "id") if profile.order == "created_at" else ("-score", "id")
    return list(with_cte(candidates, top, select=found.order_by(*order)))
