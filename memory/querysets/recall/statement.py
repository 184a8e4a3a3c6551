"""The one statement of recall, put together from its parts.

(words)      see words.py; where not all are ranked they come first, to choose the candidates by
candidates   unless all are ranked: see candidates.py
signals      one row per candidate: what needs nothing but the row
scored       all signals, contributions summed to the score; with ranks, if they are asked for
ranked       ordered, cut to the limit
select       the memories of those few rows
"""

from __future__ import annotations

from functools import lru_cache

from django.db.models import Func
from django.db.models.expressions import Expression
from django.db.models.functions import Coalesce

from memory.formulas import ranking_sql
from memory.formulas.expressions import double
from memory.formulas.ranking import SIGNALS, Profile
from memory.models import Memory
from memory.querysets.memories import MemoryQuerySet
from memory.querysets.prepared import Columns
from memory.querysets.recall import candidates, words
from memory.querysets.recall.fragments import (
    Fragment,
    column,
    expression,
    rows,
    with_constants_inside,
    with_parts,
)
from memory.querysets.recall.questions import NOW, SPACE, Shape

MEMORY = Columns(Memory, without="search")
"""What is read of a memory: the answer's first columns."""

_SIGNALS = ("id", "created_at", "semantic", "recency", "time_coef", "current_importance")

_SCORED = """
    SELECT *, {score} AS score
    FROM (
        SELECT signals.id, signals.created_at, signals.time_coef,
            signals.semantic AS signal_semantic, {lexical} AS signal_lexical,
            {speaker} AS signal_speaker, signals.recency AS signal_recency,
            signals.current_importance AS signal_importance
        FROM signals LEFT JOIN matches ON matches.id = signals.id
    ) AS blended
"""
_RANKED = "SELECT *{places} FROM scored ORDER BY {order} LIMIT %s"
_RANKED_ABOVE = "SELECT *{places} FROM scored WHERE score >= %s ORDER BY {order} LIMIT %s"
_SELECT = """
    SELECT {memory}, {numbers}
    FROM ranked JOIN memory_memory ON memory_memory.id = ranked.id
    WHERE memory_memory.space_id = %s ORDER BY {order}
"""


@lru_cache(maxsize=512)
def statement(shape: Shape, *, large: bool = False, dimensions: int | None = None) -> Fragment:
    """The SQL for questions of this shape, its parameters the marks of questions.py. For a large
    space with the `dimensions` of the embedder if its index is to find the nearest."""
    memories = Memory.objects.filter(space_id=SPACE).live()
    if shape.memory_types:
        memories = memories.filter(memory_type__in=shape.memory_types)
    if shape.tags:
        memories = memories.filter(tags__contains=list(shape.tags))
    memories = memories.with_importance_now(decay=shape.decay, now=NOW)
    if large:
        chosen = _of_likely(memories, shape, dimensions)
    elif candidates.can_be_left_out(shape):
        chosen = _of_foremost(memories, shape)
    else:
        chosen = _of_all(memories, shape)
    parts = {"asked": words.asked(shape.language), **chosen}
    parts |= {"scored": _scored(shape), "ranked": _ranked(shape)}
    return with_constants_inside(with_parts(parts, _select(shape)))


def _of_likely(
    memories: MemoryQuerySet, shape: Shape, dimensions: int | None
) -> dict[str, Fragment]:
    found = candidates.with_signals(memories, shape)
    return {
        **words.of_sample(),
        **candidates.likely(memories, shape, dimensions),
        "signals": candidates.looked_up(found, (*_SIGNALS, "search")),
        "hits": words.hits("signals"),
        "matches": words.matches(),
    }


def _of_foremost(memories: MemoryQuerySet, shape: Shape) -> dict[str, Fragment]:
    said = {"semantic": column("vectors.semantic"), "lexical": _lexical(), "speaker": _speaker()}
    found = candidates.with_signals(memories, shape)
    return {
        **words.of_space(),
        "matches": words.matches(),
        **candidates.foremost(shape, said),
        "signals": candidates.looked_up(found, _SIGNALS),
    }


def _of_all(memories: MemoryQuerySet, shape: Shape) -> dict[str, Fragment]:
    found = candidates.with_signals(candidates.all_of(memories, shape), shape)
    return {
        "signals": rows(found.order_by().values(*_SIGNALS, "search")),
        **words.of_candidates(),
        "matches": words.matches(),
    }


def numbers(shape: Shape) -> tuple[str, ...]:
    """The names of the answer's columns that follow the memory's own."""
    own = (*map(_signal, SIGNALS), "time_coef", "score")
    return (*own, "rank", *map(_rank_without, shape.profile.weights)) if shape.explain else own


def _scored(shape: Shape) -> Fragment:
    return Fragment(_SCORED).filled(
        score=expression(ranking_sql.score(_signal_columns(), shape.profile)),
        lexical=expression(_lexical()),
        speaker=expression(_speaker()),
    )


def _lexical() -> Expression:
    return ranking_sql.lexical(column("matches.matched"), words.ALL_RARITY)


def _speaker() -> Expression:
    return Coalesce(column("matches.said_by"), double(0.0))


def _ranked(shape: Shape) -> Fragment:
    # Those below the least score have their place too, and may be what just missed.
    cut = shape.min_score > 0 and not shape.explain
    ranked = (
        Fragment(_RANKED_ABOVE, (shape.min_score, shape.rows))
        if cut
        else Fragment(_RANKED, (shape.rows,))
    )
    places = _places(shape.profile) if shape.explain else Fragment("")
    return ranked.filled(places=places, order=Fragment(_order(shape.profile)))


def _places(profile: Profile) -> Fragment:
    """The rank of each candidate, and where it would stand without each signal."""
    text = f", row_number() OVER (ORDER BY {_order(profile)}) AS rank"
    parameters: tuple[object, ...] = ()
    for signal, part in ranking_sql.contributions(_signal_columns(), profile).items():
        contribution = expression(part)
        order = f"score - {contribution.text} DESC, id"
        text += f", row_number() OVER (ORDER BY {order}) AS {_rank_without(signal)}"
        parameters += contribution.parameters
    return Fragment(text, parameters)


def _select(shape: Shape) -> Fragment:
    return Fragment(_SELECT, (SPACE,)).filled(
        memory=Fragment(MEMORY.of("memory_memory")),
        numbers=Fragment(", ".join(f"ranked.{name}" for name in numbers(shape))),
        order=Fragment(_order(shape.profile, "ranked.")),
    )


def _order(profile: Profile, of: str = "") -> str:
    return f"{of}{profile.order} DESC, {of}id"


def _signal_columns() -> dict[str, Func]:
    return {name: column(_signal(name)) for name in SIGNALS}


def _signal(name: str) -> str:
    return f"signal_{name}"


def _rank_without(signal: str) -> str:
    return f"rank_without_{signal}"
