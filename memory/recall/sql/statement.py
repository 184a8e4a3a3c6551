"""The statement of recall, as text with the names of a question's values.

asked                  the question's words
(sample … words)       in a large space, the estimated rarity of words: see words.py
(near … candidates)    in a large space, the ids of the memories to rank: see candidates.py
found                  one row for each ranked memory, with the signals that need only the row
hits, words, matches   matches between the question's words and the memories: see words.py
scored                 all signals, and their contributions summed to the score
ranked                 in order, cut to the limit; with ranks, if they are requested
"""

from __future__ import annotations

from functools import lru_cache

from django.db.models.expressions import RawSQL

from memory.formulas import ranking_sql
from memory.formulas.ranking import SIGNALS
from memory.recall.sql import candidates, words
from memory.recall.sql.expressions import as_sql, raw
from memory.recall.sql.questions import Shape

_SCORED = """
    SELECT *, {score} AS score
    FROM (
        SELECT found.id, found.created_at, found.time_coef, found.current_importance,
            found.semantic AS signal_semantic, {lexical} AS signal_lexical,
            coalesce(matches.said_by, 0) AS signal_speaker, found.recency AS signal_recency,
            found.current_importance AS signal_importance
        FROM found LEFT JOIN matches ON matches.id = found.id
    ) AS signals
"""
_RANKED = """
    SELECT scored.*{ranks} FROM scored
    WHERE score >= %(least)s ORDER BY {order} DESC, id LIMIT {limit}
"""
_SELECT = """
    SELECT memory_memory.*, {numbers}
    FROM ranked JOIN memory_memory ON memory_memory.id = ranked.id
    WHERE memory_memory.space_id = %(space)s ORDER BY ranked.{order} DESC, ranked.id
"""
_SIGNALS = {name: raw(f"signal_{name}") for name in SIGNALS}


@lru_cache(maxsize=512)  # Django takes several ms to compile this, as long as PostgreSQL to answer
def statement(shape: Shape, *, likely: bool = False, dimensions: int | None = None) -> str:
    """Return the SQL for questions of this shape. It ranks all memories of the space, or with
    `likely` the likely ones; `dimensions` of the embedder if its index finds the nearest."""
    if likely:
        found = {**words.of_sample(), **candidates.of_likely(shape, dimensions)}
    else:
        found = candidates.of_all(shape)
    parts = {
        "asked": words.ASKED,
        **found,
        **words.of_found(count=not likely),
        "scored": _SCORED.format(
            score=as_sql(ranking_sql.score(_SIGNALS, shape.profile)),
            lexical=as_sql(words.LEXICAL),
        ),
        "ranked": _RANKED.format(ranks=_ranks(shape), order=shape.profile.order, limit=shape.rows),
    }
    # MATERIALIZED: PostgreSQL would otherwise compute a part again for each mention.
    named = ",\n".join(f"{name} AS MATERIALIZED ({text})" for name, text in parts.items())
    numbers = ", ".join(f"ranked.{name}" for name in _numbers(shape))
    return f"WITH {named}" + _SELECT.format(numbers=numbers, order=shape.profile.order)


def _numbers(shape: Shape) -> list[str]:
    ranks = ["rank", *(f"rank_without_{name}" for name in shape.profile.weights)]
    signals = [f"signal_{name}" for name in SIGNALS]
    return ["time_coef", "current_importance", *signals, "score", *(ranks if shape.explain else [])]


def _ranks(shape: Shape) -> str:
    """Return the columns of an explanation: each memory's rank, and its rank without each
    signal."""
    if not shape.explain:
        return ""
    orders: dict[str, str] = {"rank": shape.profile.order}
    for name in shape.profile.weights:
        # Computed without the signal, not by subtraction: rounding would make equal scores differ.
        left: dict[str, RawSQL | float] = {**_SIGNALS, name: 0.0}
        orders[f"rank_without_{name}"] = as_sql(ranking_sql.score(left, shape.profile))
    return "".join(
        f", row_number() OVER (ORDER BY {order} DESC, id) AS {name}"
        for name, order in orders.items()
    )
