"""Which memories are ranked.

In a small space all of them, or all that can be among the first: the answer is exact. What the
question says about a memory weighs most, and takes its vector and its words. What time and
importance add is bounded, so most memories are left out before anybody looks at them:

    fitting       each memory's score by what the question says about it
    candidates    those that time and importance could still lift among the first

In a large space those that some signal puts first, each found by its own index; only these are
scored, by the same formulas:

    near          most similar, by the embedder's approximate index or by comparing with all
    telling       most answered by rare words, from the text index
    newest        for what recency weighs
    fresh         where it weighs much: the best by similarity and recency among very many newest
    weightiest    for what importance weighs: by its base, above what time leaves of it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from django.db.models import BooleanField, F, Q, QuerySet, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast
from pgvector.django import CosineDistance, HalfVectorField

from memory.formulas import importance_sql, ranking_sql
from memory.formulas.expressions import double, float_result
from memory.models import Memory, MemoryEmbedding
from memory.models.memories import MemoryQuerySet, Status
from memory.recall.sql import words
from memory.recall.sql.fragments import Fragment, column, expression, rows
from memory.recall.sql.questions import EMBEDDER, NOW, SPACE, VECTOR, Shape
from memory.recall.sql.sizes import OF_SMALL

OF_CLOCK = ("created_at", "time_coef", "recency", "current_importance")
OF_ROW = ("id", "semantic", *OF_CLOCK, "search")
"""What is read of a memory to rank it: what depends on the clock, and all."""

REACH = 100
"""How many the strongest signal of a profile brings, at the least."""

SAID = ("semantic", "lexical", "speaker")
"""The signals that the question decides; the others depend on the memory and the clock alone."""
LITTLE = 0.2
"""Where the others weigh more than this share of the heaviest, they could lift too many."""
ROUNDING = 1e-9
"""How far sums of the same parts in another order may differ, and more."""

MUCH, NEWEST = 0.1, 5000
"""Recency that weighs above this share of the heaviest signal can lift what is far from the nearest
100: then so many of the newest are compared."""

# Read by the index when its scan begins, which `near` makes wait for this row. "true": until the
# transaction ends. Iterative: what is filtered out does not count as found.
_REACHED = """
    SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true) IS NOT NULL
        AND set_config('hnsw.ef_search', %s, true) IS NOT NULL AS ready
"""
_NEAR = "SELECT near.* FROM reached, LATERAL ({near}) AS near"
_NEAR_OF_ALL = """
    SELECT memory.*
    FROM (SELECT memory_id AS id FROM ({nearest}) AS nearest) AS candidates,
        LATERAL ({memory}) AS memory
"""
_OTHERS = "SELECT id FROM ({each}) AS others WHERE id NOT IN (SELECT id FROM near)"
_LOOKED_UP = "SELECT memory.* FROM candidates, LATERAL ({memory}) AS memory"
_NEAR_AND_OTHERS = f"TABLE near UNION ALL {_LOOKED_UP}"
_TELLING = """
    SELECT rare.id
    FROM rare JOIN words ON words.number = rare.number
    GROUP BY rare.id ORDER BY sum(rare.match * words.rarity) DESC, rare.id LIMIT %s
"""
# OFFSET 0 keeps PostgreSQL from writing out each signal where it is named, and comparing twice.
_FITTING = """
    SELECT *, {fit} AS fit
    FROM (
        SELECT vectors.memory_id AS id, vectors.semantic AS signal_semantic,
            {lexical} AS signal_lexical, {speaker} AS signal_speaker
        FROM ({vectors}) AS vectors LEFT JOIN matches ON matches.id = vectors.memory_id
        OFFSET 0
    ) AS said
"""
_LIFTED = """
    SELECT * FROM fitting WHERE fit >= coalesce(
        (SELECT fit FROM fitting ORDER BY fit DESC OFFSET %s LIMIT 1) - %s::float8, '-infinity'
    )
"""
_MAX_EF = 1000  # pgvector's own limit


def all_of(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    """All that the profile ranks."""
    if shape.profile.candidates != "importance":
        return memories
    best = memories.order_by(F("current_importance").desc(), "id")[: shape.recall.candidate_limit]
    return memories.filter(pk__in=best.values("pk"))


def can_be_left_out(shape: Shape) -> bool:
    """Whether the first can be told from most others by what the question says about them. Not for
    an explanation, which counts all, nor by filters, for which each memory must be looked at."""
    weights = shape.profile.weights
    others = sum(weight for name, weight in weights.items() if name not in SAID)
    filtered = bool(shape.memory_types or shape.tags or shape.profile.candidates)
    plain = not filtered and not shape.explain and shape.profile.order == "score"
    return plain and others <= LITTLE * max(weights.values(), default=0.0)


def foremost(shape: Shape) -> dict[str, Fragment]:
    """`candidates` with the signals of SAID, and what they are chosen from."""
    weights = shape.profile.weights
    others = sum(weight for name, weight in weights.items() if name not in SAID)
    heavy = replace(shape.profile, recency=0.0, importance=0.0)
    said = {name: column(f"signal_{name}") for name in SAID}
    vectors = _comparable(OF_SMALL).annotate(
        semantic=ranking_sql.semantic(CosineDistance("vector", Value(VECTOR)))
    )
    fitting = Fragment(_FITTING).filled(
        fit=expression(ranking_sql.score(said, heavy)),
        lexical=expression(words.lexical()),
        speaker=expression(words.speaker()),
        vectors=rows(vectors.values("memory_id", "semantic")),
    )
    lifted = Fragment(_LIFTED, (shape.rows - 1, others + ROUNDING))
    return {"fitting": fitting, "candidates": lifted}


def likely(memories: MemoryQuerySet, shape: Shape, dimensions: int | None) -> dict[str, Fragment]:
    """What is `found`: the nearest, by the index if its `dimensions` are given, which are read as
    they are found, and `candidates`, what other signals put first, which are looked up."""
    compared = with_signals(memories, shape)
    one = looked_up(compared, OF_ROW)
    if shape.profile.order == "created_at":
        newest = memories.order_by("-created_at", "id").values("id")
        found = Fragment(_LOOKED_UP).filled(memory=one)
        return {"candidates": rows(newest[: shape.rows]), "found": found}
    reach = max(REACH, 5 * shape.rows)
    others = _others(memories, shape, reach)
    each = Fragment(" UNION ".join(f"TABLE {name}" for name in others))
    by_index = dimensions and _near_by_index(compared, reach, dimensions)
    return {
        **(by_index or _near_by_scan(one, reach)),
        **others,
        "candidates": Fragment(_OTHERS).filled(each=each),
        "found": Fragment(_NEAR_AND_OTHERS).filled(memory=one),
    }


def _others(memories: MemoryQuerySet, shape: Shape, reach: int) -> dict[str, Fragment]:
    """The ids that signals other than similarity put first."""
    chosen = {"telling": Fragment(_TELLING, (reach,))}
    heaviest = max(shape.profile.weights.values())
    for name, signal, order in (
        ("newest", "recency", "-created_at"),
        ("weightiest", "importance", "-importance"),
    ):
        share = shape.profile.weights.get(signal, 0.0) / heaviest
        if share:
            chosen[name] = rows(memories.order_by(order).values("id")[: ceil(reach * share)])
        if share > MUCH and signal == "recency":
            chosen["fresh"] = _fresh(memories, shape, reach)
    return chosen


def with_signals(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    """Adds `semantic` and `recency` to those that have a vector."""
    distance = CosineDistance("embeddings__vector", Value(VECTOR))
    return (
        with_recency(memories, shape)
        .filter(
            # Both named as literals: one shard then answers, from one index.
            embeddings__space_id=SPACE,
            embeddings__embedder_id=EMBEDDER,
        )
        .annotate(semantic=ranking_sql.semantic(distance))
    )


def with_recency(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    """Adds `recency`."""
    age = importance_sql.age_days(F("created_at"), NOW)
    return memories.annotate(recency=ranking_sql.recency(age, shape.recall.recency_scale_days))


def looked_up(memories: MemoryQuerySet, names: Sequence[str]) -> Fragment:
    """These values of the one that `candidates.id` names: by LIMIT 1, where a planner that expects
    many candidates would rather read all memories."""
    one = memories.filter(pk=RawSQL("candidates.id", ()))
    return rows(one.order_by().values(*names)[:1])


def _near_by_index(memories: MemoryQuerySet, reach: int, dimensions: int) -> dict[str, Fragment]:
    """The cast is the one of the index (services.embedders). Each memory found is looked up at
    once, so that none counts that is in the bin or filtered out."""
    vector = Cast(F("embeddings__vector"), HalfVectorField(dimensions=dimensions))
    ready = RawSQL("reached.ready", (), output_field=BooleanField())
    nearest = (
        memories.filter(ready)
        .order_by(CosineDistance(vector, Value(VECTOR)))
        .values(*OF_ROW)[:reach]
    )
    return {
        "reached": Fragment(_REACHED, (str(min(reach, _MAX_EF)),)),
        "near": Fragment(_NEAR).filled(near=rows(nearest)),
    }


def _near_by_scan(one: Fragment, reach: int) -> dict[str, Fragment]:
    """Without the cast the index does not fit."""
    nearest = _comparable(Q(space_id=SPACE)).order_by(CosineDistance("vector", Value(VECTOR)))
    found = rows(nearest.values("memory_id")[:reach])
    return {"near": Fragment(_NEAR_OF_ALL).filled(nearest=found, memory=one)}


def _comparable(of_space: Q) -> QuerySet[MemoryEmbedding]:
    """The vectors of all live memories. To look up every memory would double the time, so those
    that are not live are left out by their ids; they are few, or soon will be."""
    hidden = Memory.objects.filter(of_space, status__in=(Status.REVIEW, Status.BINNED))
    vectors = MemoryEmbedding.objects.filter(of_space, embedder_id=EMBEDDER)
    return vectors.exclude(memory_id__in=hidden.values("pk"))


def _fresh(memories: MemoryQuerySet, shape: Shape, reach: int) -> Fragment:
    newest = memories.order_by("-created_at").values("id")[:NEWEST]
    profile = shape.profile
    found = with_signals(memories.filter(pk__in=newest), shape).annotate(
        fits=float_result(
            double(profile.semantic) * F("semantic") + double(profile.recency) * F("recency")
        )
    )
    return rows(found.order_by("-fits").values("id")[:reach])
