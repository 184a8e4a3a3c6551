"""Recall: one SQL statement that returns signals, contributions and score.

    signals   one row per candidate: each signal computed once (MATERIALIZED, because PostgreSQL
              would otherwise repeat every distance for each place that mentions it)
    asked     the question's words, each as a query
    hits      which memory answers which word, and how well
    words     how much each word tells: its rarity among the candidates
    matches   one row per memory that answers any word
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
from django.db import connection
from django.db.models import F, FloatField, QuerySet, UUIDField, Value
from django.db.models.expressions import Expression, RawSQL
from django.db.models.functions import Coalesce
from django.db.models.sql.constants import LOUTER
from django_cte import CTE, with_cte
from django_cte.raw import raw_cte_sql
from pgvector import HalfVector
from pgvector.django import CosineDistance

from memory import lexemes
from memory.formulas import importance_sql, ranking_sql
from memory.formulas.expressions import double
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

LABEL_WEIGHTS = [0.4, 0.7, 1.0, 1.0]
"""What a word is worth by its label in passages.py, in PostgreSQL's order D, C, B, A: said two or
three turns away, said in the turn before or after, the speaker's name, the memory itself."""

# `plainto_tsquery` joins the question's words with AND, which finds nothing for four questions in
# five; taken apart, each word is a query of its own, quoted as PostgreSQL wants it.
_ASKED = """
    SELECT min(number) AS number, word::tsquery AS word, (word || ':B')::tsquery AS name
    FROM unnest(string_to_array(plainto_tsquery(%s::regconfig, %s)::text, ' & '))
        WITH ORDINALITY AS each(word, number)
    GROUP BY word
"""
_HITS = """
    SELECT texts.id, asked.number, ts_rank(%s::float4[], texts.search, asked.word) AS text_rank,
        CASE WHEN texts.search @@ asked.name THEN 1.0::float8 ELSE 0.0::float8 END AS said_by
    FROM texts JOIN asked ON texts.search @@ asked.word
"""
_WORDS = """
    SELECT asked.number, {rarity} AS rarity
    FROM asked LEFT JOIN hits ON hits.number = asked.number
    GROUP BY asked.number
"""
_MATCHES = """
    SELECT hits.id, sum({match} * words.rarity) AS matched, max(hits.said_by) AS said_by
    FROM hits JOIN words ON words.number = hits.number
    GROUP BY hits.id
"""
_MATCH_COLUMNS = {"id": UUIDField(), "matched": FloatField(), "said_by": FloatField()}
# Columns of the parts above, as the formulas' twins take them.
_HOLDERS = RawSQL("count(hits.id)", ())
_MEMORIES = RawSQL("(SELECT count(*) FROM signals)", ())
_TEXT_RANK = RawSQL("hits.text_rank", ())
_ALL_RARITY = RawSQL("(SELECT sum(rarity) FROM words)", ())


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
    candidates = _candidates(memories, shape)
    signals = _signals(candidates, shape)
    lexical = _lexical(candidates, shape)
    top = _ranked(signals, lexical[-1], shape)
    parts = (signals, *lexical, top)
    found = with_cte(*parts, select=_explained(memories, top, shape.profile))
    sql, parameters = found.query.get_compiler(connection=connection).as_sql()
    return sql, tuple(parameters)


def _candidates(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    """Those that are ranked at all."""
    if shape.profile.candidates != "importance":
        return memories
    best = memories.order_by(F("current_importance").desc(), "id")[: shape.recall.candidate_limit]
    return memories.filter(pk__in=best.values("pk"))


def _signals(memories: MemoryQuerySet, shape: Shape) -> CTE:
    """One row per candidate: id, created_at, and the signals that need nothing but the row."""
    age = importance_sql.age_days(F("created_at"), _NOW)
    distance = CosineDistance("embeddings__vector", Value(_VECTOR))
    rows = memories.filter(
        # Both named as literals: one shard then answers, from one index.
        embeddings__space_id=_SPACE,
        embeddings__embedder_id=_EMBEDDER,
    ).annotate(
        semantic=ranking_sql.semantic(distance),
        recency=ranking_sql.recency(age, shape.recall.recency_scale_days),
    )
    columns = ("id", "created_at", "semantic", "recency", "current_importance")
    return CTE(rows.order_by().values(*columns), name="signals", materialized=True)


def _lexical(memories: MemoryQuerySet, shape: Shape) -> tuple[CTE, ...]:
    """What the question's words say: the last part is `matches` (id, matched, said_by).

    Django has no join on a match of texts, so these parts are written out.
    """
    question = [lexemes.configuration(shape.language), _TEXT]
    rarity, rarity_values = _compiled(ranking_sql.rarity(_HOLDERS, _MEMORIES))
    match, match_values = _compiled(ranking_sql.word_match(_TEXT_RANK))
    matches = raw_cte_sql(_MATCHES.format(match=match), match_values, _MATCH_COLUMNS)
    return (
        CTE(raw_cte_sql(_ASKED, question, {}), name="asked", materialized=True),
        CTE(memories.order_by().values("id", "search"), name="texts"),
        CTE(raw_cte_sql(_HITS, [LABEL_WEIGHTS], {}), name="hits", materialized=True),
        CTE(raw_cte_sql(_WORDS.format(rarity=rarity), rarity_values, {}), name="words"),
        CTE(matches, name="matches"),
    )


def _compiled(expression: Expression) -> tuple[str, list[Any]]:
    """The SQL of an expression that names no column of a model, and its parameters."""
    query = Memory.objects.all().query
    resolved = expression.resolve_expression(query)
    sql, parameters = query.get_compiler(connection=connection).compile(resolved)
    return sql, list(parameters)


def _ranked(signals: CTE, matches: CTE, shape: Shape) -> CTE:
    """The first rows by the profile's order, each with its signals and score."""
    rows = matches.join(signals.queryset(), id=matches.col.id, _join_type=LOUTER).annotate(
        lexical=ranking_sql.lexical(matches.col.matched, _ALL_RARITY),
        speaker=Coalesce(matches.col.said_by, double(0.0)),
    )
    values = {name: F(_column(name)) for name in SIGNALS}
    rows = rows.annotate(score=ranking_sql.score(values, shape.profile))
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
