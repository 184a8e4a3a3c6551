"""The one statement of recall, put together from its parts.

(words)      see words.py; where not all are ranked they come first, to choose the candidates by
candidates   unless all are ranked: see candidates.py
found        one row per candidate: what needs nothing but the row
scored       all signals, and their contributions summed to the score
ranked       ordered, cut to the limit; with ranks, if they are asked for
select       the memories of those few rows
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from django.db.models import Func

from memory.formulas import ranking_sql
from memory.formulas.ranking import SIGNALS, Profile
from memory.models import Memory
from memory.models.memories import MemoryQuerySet
from memory.recall.sql import candidates, words
from memory.recall.sql.fragments import (
    Fragment,
    column,
    expression,
    rows,
    with_constants_inside,
    with_parts,
)
from memory.recall.sql.questions import NAMES, NOW, SPACE, Shape
from memory.recall.sql.sizes import OF_SMALL, live
from memory.sql import Columns

MEMORY = Columns(Memory, without="search")
"""What is read of a memory: the answer's first columns."""

_SCORED = "SELECT *, {score} AS score FROM ({signals}) AS signals"
_SIGNALS = """
    SELECT found.id, found.created_at, found.time_coef,
        found.semantic AS signal_semantic, {lexical} AS signal_lexical,
        {speaker} AS signal_speaker, found.recency AS signal_recency,
        found.current_importance AS signal_importance
    FROM found LEFT JOIN matches ON matches.id = found.id
"""
_OF_CANDIDATES = """
    SELECT candidates.*, memory.created_at, memory.time_coef,
        memory.recency AS signal_recency, memory.current_importance AS signal_importance
    FROM candidates, LATERAL ({memory}) AS memory
"""
_RANKED = "SELECT *{places} FROM scored ORDER BY {order} LIMIT %s"
_RANKED_ABOVE = "SELECT *{places} FROM scored WHERE score >= %s ORDER BY {order} LIMIT %s"
_SELECT = """
    SELECT {memory}, {numbers}
    FROM ranked JOIN memory_memory ON memory_memory.id = ranked.id
    WHERE memory_memory.space_id = %s ORDER BY {order}
"""


@lru_cache(maxsize=512)
def for_small(shape: Shape, large: int) -> Fragment:
    """The SQL for questions of this shape to any space of up to `large` memories, its parameters
    the marks of questions.py; in a larger one it finds nothing."""
    if candidates.can_be_left_out(shape):
        chosen = _of_foremost(shape)
    else:
        chosen = _of_all(_narrowed(Memory.objects.filter(OF_SMALL), shape), shape)
    return with_constants_inside(_whole({"live": live(large), **chosen}, shape), {})


@lru_cache(maxsize=512)
def statement(shape: Shape, *, large: bool = False, dimensions: int | None = None) -> Fragment:
    """The same for one space, whose number is to be written where the text has `{space}`: all its
    memories are ranked, or in a large one the likely ones, with the `dimensions` of the embedder if
    its index is to find the nearest."""
    memories = _narrowed(Memory.objects.filter(space_id=SPACE), shape)
    chosen = _of_likely(memories, shape, dimensions) if large else _of_all(memories, shape)
    return with_constants_inside(_whole(chosen, shape), NAMES)


def _narrowed(memories: MemoryQuerySet, shape: Shape) -> MemoryQuerySet:
    memories = memories.live()
    if shape.memory_types:
        memories = memories.filter(memory_type__in=shape.memory_types)
    if shape.tags:
        memories = memories.filter(tags__contains=list(shape.tags))
    return memories.with_importance_now(decay=shape.decay, now=NOW)


def _whole(chosen: Mapping[str, Fragment], shape: Shape) -> Fragment:
    parts = {"asked": words.asked(shape.language), **chosen}
    parts["ranked"] = _ranked(shape)
    return with_parts(parts, _select(shape))


def _of_likely(
    memories: MemoryQuerySet, shape: Shape, dimensions: int | None
) -> dict[str, Fragment]:
    return {
        **words.of_sample(),
        **candidates.likely(memories, shape, dimensions),
        "hits": words.hits("found"),
        "matches": words.matches(),
        "scored": _scored(shape, _signals()),
    }


def _of_foremost(shape: Shape) -> dict[str, Fragment]:
    # By the id alone: with the space PostgreSQL, which reckons it small, would go through all of it
    # for each. The candidates are live and of the space.
    memories = Memory.objects.with_importance_now(decay=shape.decay, now=NOW)
    one = candidates.looked_up(candidates.with_recency(memories, shape), candidates.OF_CLOCK)
    return {
        **words.of_space(),
        "matches": words.matches(),
        **candidates.foremost(shape),
        "scored": _scored(shape, Fragment(_OF_CANDIDATES).filled(memory=one)),
    }


def _of_all(memories: MemoryQuerySet, shape: Shape) -> dict[str, Fragment]:
    found = candidates.with_signals(candidates.all_of(memories, shape), shape)
    return {
        "found": rows(found.order_by().values(*candidates.OF_ROW)),
        **words.of_candidates(),
        "matches": words.matches(),
        "scored": _scored(shape, _signals()),
    }


def numbers(shape: Shape) -> tuple[str, ...]:
    """The names of the answer's columns that follow the memory's own."""
    own = (*map(_signal, SIGNALS), "time_coef", "score")
    return (*own, "rank", *map(_rank_without, shape.profile.weights)) if shape.explain else own


def _scored(shape: Shape, signals: Fragment) -> Fragment:
    score = expression(ranking_sql.score(_signal_columns(), shape.profile))
    return Fragment(_SCORED).filled(score=score, signals=signals)


def _signals() -> Fragment:
    lexical, speaker = expression(words.lexical()), expression(words.speaker())
    return Fragment(_SIGNALS).filled(lexical=lexical, speaker=speaker)


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
    for signal in profile.weights:
        # Not the score less one part: what is equal in all others would differ by rounding.
        left = expression(ranking_sql.score({**_signal_columns(), signal: 0.0}, profile))
        order = f"{left.text} DESC, id"
        text += f", row_number() OVER (ORDER BY {order}) AS {_rank_without(signal)}"
        parameters += left.parameters
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
