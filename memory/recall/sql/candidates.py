"""Selects the memories to rank: all, or in a large space the best by each signal.

near          most similar, by the embedder's approximate index or by comparing with all
near_further  the same by groups of sentences of long memories
telling       most matches with rare words, from the text index
newest        for profiles with a recency weight
arrived       for the same: most similar of those saved last
fresh         for a high recency weight: the best of the newest by similarity and recency
weightiest    for profiles with an importance weight: by base importance, the bound of the current
candidates    the ids of them all
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

from django.db.models import Case, F, FloatField, Func, IntegerField, Max, Q, QuerySet, When
from django.db.models.functions import Cast
from pgvector.django import CosineDistance, HalfVectorField

from foundation.texts.forms import tag_spellings
from memory.formulas import importance_sql, ranking_sql
from memory.formulas.expressions import double, float_result
from memory.models import Memory, MemoryEmbedding
from memory.models.choices import Status
from memory.models.dated import true_during, was_true
from memory.models.learned import COUNTS, effective_importance
from memory.models.memories import MemoryQuerySet
from memory.recall.sql import further
from memory.recall.sql.expressions import (
    AGENT,
    EMBEDDER,
    NOW,
    SESSION,
    SINCE,
    SPACE,
    UNTIL,
    USER,
    VECTOR,
    raw,
    select,
)
from memory.recall.sql.questions import Shape
from memory.recall.sql.whose import tells_of_others

REACH = 100
"""Minimum number of candidates for the strongest signal of a profile."""
WIDE = 1000  # the same when copies of one text filled the candidates

MUCH, NEWEST = 0.1, 5000
"""A recency weight above this share of the heaviest signal can lift memories far from the
nearest 100. Then this many of the newest are compared."""
ARRIVED, AMONG = 5000, 20_000
"""Vectors compared because they were saved last, and the number of the table's last ids that are
read for them. After an import, many new memories are farther than the nearest 100, but score more
by their recency. These vectors lie side by side on the disk: comparing them takes 3 ms, and half as
many candidates are enough."""

_COLUMNS = (
    "id", "created_at", "search", "size", "substance", "semantic", "further", "recency",
    "time_coef", "importance",
)  # fmt: skip

# The memories that name the later event in a question such as "before Porto".
_LATER = """
    SELECT later.id FROM memory_memory AS later
    WHERE later.space_id = %(space)s
        AND later.search @@ websearch_to_tsquery(%(configuration)s::regconfig, %(before)s)
"""

_ASKS = Q(content__endswith="?") | Q(content__endswith="？") | Q(content__endswith="؟")

_HAS_VECTOR = Q(embeddings__space_id=SPACE, embeddings__embedder_id=EMBEDDER)

_TELLING = """
    SELECT rare.id
    FROM rare JOIN words ON words.number = rare.number
    GROUP BY rare.id ORDER BY sum(rare.match * words.rarity) DESC, rare.id LIMIT {reach}
"""
_ARRIVED = "SELECT memory_id FROM ({compared}) AS compared ORDER BY distance LIMIT {reach}"
# LIMIT 1, because the planner would read all memories if it expected many candidates.
_LOOKED_UP = "SELECT memory.* FROM candidates, LATERAL ({memory} LIMIT 1) AS memory"


def reach(shape: Shape) -> int:
    """Return the number of candidates for the strongest signal."""
    return WIDE if shape.widened else max(REACH, 5 * shape.rows)


def of_all(shape: Shape) -> dict[str, str]:
    """Return the part `found`: a row for each memory that the profile ranks."""
    memories = _memories(shape)
    if shape.profile.candidates != "importance":
        return {"found": select(_signals(memories, shape).values(*_columns(shape)))}
    weighed = _weighed(memories, shape)
    best = weighed.order_by(F(shape.importance).desc(), "id").values("id")
    return _looked_up(select(best[: shape.recall.candidate_limit]), shape)


def of_likely(shape: Shape, dimensions: int | None) -> dict[str, str]:
    """Return the parts of the likely candidates, ending with `found`; `dimensions` of the embedder
    if its index is used."""
    memories = _memories(shape)
    if shape.profile.order == "created_at":
        return _looked_up(
            select(memories.order_by("-created_at", "id").values("id")[: shape.window or WIDE]),
            shape,
        )
    by_index = dimensions and _near_by_index(memories, reach(shape), dimensions)
    every_vector = shape.reader.everyone and shape.time == "now"
    by_scan = _near_by_scan if every_vector else _near_among(memories)
    chosen = {
        "near": by_index or by_scan(reach(shape)),
        "near_further": further.nearest(memories, reach(shape), dimensions),
        "telling": _TELLING.format(reach=reach(shape)),
        **_by_clock_and_weight(memories, shape),
        **({"arrived": _arrived(reach(shape) // 2)} if shape.profile.recency else {}),
    }
    union = " UNION ".join(f"TABLE {name}" for name in chosen)
    return {**chosen, **_looked_up(union, shape)}


def known(shape: Shape) -> Q:
    """Return the condition on memories that a question about this time may find: live memories, and
    memories that were true then.
    """
    live = Q(status="live")
    if shape.time == "now":
        return live
    if shape.time == "as_of":
        return Q(live | was_true(), true_during(SINCE, UNTIL))
    if shape.time == "during":
        return live | Q(was_true(), true_during(SINCE, UNTIL))
    return live | was_true()


def fitting(shape: Shape, most: int) -> str:
    """Return the SELECT of the ids of up to `most` memories that the filters leave."""
    return select(_memories(shape).values("id")[:most])


def _memories(shape: Shape) -> MemoryQuerySet:
    memories = Memory.objects.filter(known(shape), shape.reader.where(name=USER), space_id=SPACE)
    if shape.by_agent:
        memories = memories.filter(agent_id=AGENT)
    if shape.by_session:
        memories = memories.filter(session_id=SESSION)
    if shape.memory_types:
        memories = memories.filter(memory_type__in=shape.memory_types)
    for tag in shape.tags:
        memories = memories.filter(tags__overlap=tag_spellings(tag))
    if not shape.where:
        return memories
    return memories.with_importance_now(decay=shape.decay, now=NOW).filter(shape.where)


def _looked_up(ids: str, shape: Shape) -> dict[str, str]:
    one = _signals(_memories(shape).filter(pk=raw("candidates.id")), shape)
    one = one.values(*_columns(shape))
    return {"candidates (id)": ids, "found": _LOOKED_UP.format(memory=select(one))}


def _columns(shape: Shape) -> Sequence[str]:
    learned = COUNTS if shape.learn else ()
    others = ("others",) if shape.others else ()
    return (*_COLUMNS, *learned, *others, *(["past"] if shape.is_past else []))


def _weighed(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    """Add the current importance and, where the policy learns, the effective one."""
    weighed = memories.with_importance_now(decay=shape.decay, now=NOW)
    if not shape.learn:
        return weighed
    return weighed.annotate(effective_importance=effective_importance())


def _compared(memories: MemoryQuerySet) -> MemoryQuerySet:
    """Filter to memories that have a vector by the space's model."""
    return memories.filter(_HAS_VECTOR)


def replaced(shape: Shape) -> str:
    """Return the SELECT of the similarity between the question and the memories that the found ones
    superseded.
    """
    older = Memory.objects.filter(was_true(), shape.reader.where(name=USER), space_id=SPACE)
    older = older.filter(superseded_by__in=raw("SELECT id FROM found"))
    fit = ranking_sql.semantic(CosineDistance("embeddings__vector", VECTOR))
    return select(_compared(older).values("superseded_by").annotate(semantic=Max(fit)))


def _signals(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    """Add the signals that depend only on a memory and its vector."""
    age = importance_sql.age_days(F("created_at"), NOW)
    size = Func("content", function="octet_length", output_field=IntegerField())
    spoken = ~Q(source_speaker="")
    weighed = _compared(memories).with_importance_now(decay=shape.decay, now=NOW)
    if shape.is_past:
        weighed = weighed.annotate(past=_past(shape))
    if shape.others:
        weighed = weighed.annotate(others=tells_of_others(shape.others))
    return weighed.annotate(
        size=size,
        semantic=ranking_sql.semantic(CosineDistance("embeddings__vector", VECTOR)),
        further=F("embeddings__further"),
        substance=ranking_sql.substance(size, spoken=spoken, asks=_ASKS),
        recency=ranking_sql.recency(
            age, shape.recall.recency_scale_days, whole_days=shape.profile.whole_days
        ),
    )


def _past(shape: Shape) -> Case:
    """Return how well a memory fits a question about the past: 0 for a live memory, a half for one
    that was true then. If the question names what came later ("before Porto"), 1 for a memory that
    a memory about Porto superseded, 0 for a memory that names Porto, and a half if both apply.
    """
    fits = [When(was_true(), then=double(0.5))]
    if shape.time == "before":
        superseded = Q(was_true(), superseded_by__in=raw(_LATER))
        names = Q(pk__in=raw(_LATER))
        before = [(superseded & ~names, 1.0), (superseded, 0.5), (names, 0.0)]
        fits = [*(When(one, then=double(fit)) for one, fit in before), *fits]
    return Case(*fits, default=double(0.0), output_field=FloatField())


def _near_by_index(memories: MemoryQuerySet, count: int, dimensions: int) -> str:
    # The index contains vectors with this cast. Its scan continues until enough memories match.
    vector = Cast(F("embeddings__vector"), HalfVectorField(dimensions=dimensions))
    indexed = memories.filter(_HAS_VECTOR, embeddings__in_index=True)  # one join
    return select(indexed.order_by(CosineDistance(vector, VECTOR)).values("id")[:count])


def _near_among(memories: MemoryQuerySet) -> Callable[[int], str]:
    """Return the scan of one reader's memories, which an index finds by their user."""
    nearest = _compared(memories).order_by(CosineDistance("embeddings__vector", VECTOR))
    return lambda count: select(nearest.values("id")[:count])


def _near_by_scan(count: int) -> str:
    # Excludes the few memories that are not live, because looking up each live one would double the
    # time.
    hidden = Memory.objects.filter(space_id=SPACE, status__in=(Status.REVIEW, Status.BINNED))
    vectors = MemoryEmbedding.objects.filter(space_id=SPACE, embedder_id=EMBEDDER)
    vectors = vectors.exclude(memory_id__in=hidden.values("pk"))
    nearest = vectors.order_by(CosineDistance("vector", VECTOR))
    return select(nearest.values(found=F("memory_id"))[:count])


def _arrived(count: int) -> str:
    vectors = MemoryEmbedding.objects.filter(space_id=SPACE, embedder_id=EMBEDDER)
    # Without this bound, a space without new memories would read the vectors of all other spaces.
    vectors = vectors.filter(pk__gt=raw("%(arrived_after)s"))
    compared = vectors.values("memory_id", distance=CosineDistance("vector", VECTOR))
    return _ARRIVED.format(compared=select(compared.order_by("-pk")[:ARRIVED]), reach=count)


def _by_clock_and_weight(memories: MemoryQuerySet, shape: Shape) -> dict[str, str]:
    """Return the best candidates by recency and by importance; a higher weight selects more of
    them.
    """
    heaviest = max(shape.profile.weights.values())
    recency, importance = shape.profile.recency / heaviest, shape.profile.importance / heaviest
    chosen: dict[str, QuerySet[Any, Any]] = {}
    if recency:
        chosen["newest"] = memories.order_by("-created_at")[: ceil(reach(shape) * recency)]
    if recency > MUCH:
        chosen["fresh"] = _fresh(memories, shape)
    if importance:
        chosen["weightiest"] = memories.order_by("-importance")[: ceil(reach(shape) * importance)]
    return {name: select(rows.values("id")) for name, rows in chosen.items()}


def _fresh(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    newest = memories.order_by("-created_at").values("id")[:NEWEST]
    weights = shape.profile
    fits = double(weights.semantic) * F("semantic") + double(weights.recency) * F("recency")
    found = _signals(memories.filter(pk__in=newest), shape).annotate(fits=float_result(fits))
    return found.order_by("-fits")[: reach(shape)]
