"""The statement of recall, as text with named parameters for a question's values.

asked                  the question's words
(sample … words)       in a large space, the estimated rarity of words: see words.py
(near … candidates)    in a large space, the ids of the memories to rank: see candidates.py
found                  one row for each ranked memory, with the signals that need only the row
hits, words, matches   matches between the question's words and the memories: see words.py
replaced               how well what they superseded fits, in a question about the present
best                   all signals and their sum, the score; the best rows
folded                 the best rows with their place among those of the same text
ranked                 one row for each text, in order, cut to the limit; with ranks, if they are
                       requested
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from django.db.models.expressions import Expression, RawSQL

from accounts.models.folding import comparing_form
from foundation.database.sql import Columns
from memory.formulas import importance_sql, ranking_sql
from memory.formulas.expressions import flag, float_result
from memory.formulas.ranking import SIGNALS
from memory.models import Memory
from memory.models.learned import COUNTS
from memory.recall.sql import candidates, further, words
from memory.recall.sql.expressions import as_sql, raw
from memory.recall.sql.questions import Shape

MEMORY = Columns(Memory, without="search")
"""The first columns of the answer, before `numbers`."""
PAST = "signal_past"
"""The column with a memory's fit to the time asked about, in questions about the past."""
OTHERS = "signal_others"
"""The column, in questions about the user's own facts, with 1 for memories about others."""
COPIES = "copies"
"""The column with the number of memories that have the same text among the best rows; 0 for a row
that was not compared."""

# OFFSET 0: PostgreSQL would otherwise compute each signal again in the score.
_SCORED = """
    SELECT *, {score} AS score
    FROM (
        SELECT found.id, found.created_at, found.time_coef, {current} AS current_importance,
            {semantic} AS signal_semantic, {lexical} AS signal_lexical,
            coalesce(matches.said_by, 0) AS signal_speaker, found.recency AS signal_recency,
            {importance} AS signal_importance{past}{others}
        FROM found LEFT JOIN matches ON matches.id = found.id {replaced}
        OFFSET 0
    ) AS signals
"""
# In a question about the present, the memory that was superseded shows how well its successor fits:
# "moved from Lisbon to Porto" shares few words with "Where does the user live?".
_PRESENT = {
    "semantic": "greatest(found.semantic, {of_groups}, replaced.semantic)",
    "replaced": "LEFT JOIN replaced ON replaced.superseded_by = found.id",
    "past": "",
}
_PAST = {
    "semantic": "greatest(found.semantic, {of_groups})",
    "replaced": "",
    "past": f", found.past AS {PAST}",
}
_BEST = """
    SELECT *{place} FROM ({scored}) AS scored
    WHERE score >= %(least)s AND id <> ALL(%(without)s::uuid[]) {cut}
"""
_IN_ORDER = "ORDER BY {order} DESC, id"
# Memories of the same text and importance that were true until the same time. The best of them
# stays, of equally good ones the newest. With another importance a text is a candidate of its own
# (seed 002, AC-4). Two users may say the same of themselves. LIMIT 1, because the planner would
# read all memories.
_FOLDED = """
    SELECT best.*, count(*) OVER alike AS copies,
        row_number() OVER (
            alike ORDER BY best.{order} DESC, best.created_at DESC, best.id
        ) AS copy
    FROM best, LATERAL (
        SELECT {form} AS form, valid_to, importance, user_id FROM memory_memory
        WHERE space_id = %(space)s AND id = best.id LIMIT 1
    ) AS said
    {within} WINDOW alike AS (PARTITION BY said.form, said.valid_to, said.importance{users})
"""
_REST = " UNION ALL SELECT *, 0 AS copies, 1 AS copy FROM best WHERE place > {window}"
_EVERY = "SELECT *, 1 AS copies, 1 AS copy FROM best"
_RANKED = """
    SELECT folded.*{ranks} FROM folded
    WHERE copy = 1 ORDER BY {order} DESC, id LIMIT {limit}
"""
_SELECT = """
    SELECT {memory}, {numbers}
    FROM ranked JOIN memory_memory ON memory_memory.id = ranked.id
    WHERE memory_memory.space_id = %(space)s ORDER BY ranked.{order} DESC, ranked.id
"""
_SIGNALS = {name: raw(f"signal_{name}") for name in SIGNALS}


def statement_of(shape: Shape, *, likely: bool = False, dimensions: int | None = None) -> str:
    """Return the SQL for questions of this shape, as `statement` does. Statements with a condition
    of the caller's are not cached: each has its own values."""
    built = statement.__wrapped__ if shape.where else statement
    return built(shape, likely=likely, dimensions=dimensions)


@lru_cache(maxsize=512)  # Django takes several ms to compile this, as long as PostgreSQL to answer
def statement(shape: Shape, *, likely: bool = False, dimensions: int | None = None) -> str:
    """Return the SQL for questions of this shape. It ranks all memories of the space, or with
    `likely` only likely candidates. `dimensions` are the embedder's, if its index is used.
    """
    if likely:
        known = as_sql(flag(candidates.known(shape)))
        found = {**words.of_sample(shape.reader, known), **candidates.of_likely(shape, dimensions)}
    else:
        found = candidates.of_all(shape)
    parts = {
        "asked": words.ASKED,
        **found,
        **words.of_found(count=not likely),
        **({} if shape.is_past else {"replaced": candidates.replaced(shape)}),
        "best": _best(shape),
        "folded": _folded(shape),
        "ranked": _RANKED.format(ranks=_ranks(shape), order=shape.profile.order, limit=shape.rows),
    }
    # MATERIALIZED, because PostgreSQL would otherwise compute a part again for each reference.
    named = ",\n".join(f"{name} AS MATERIALIZED ({text})" for name, text in parts.items())
    select = _SELECT.format(
        memory=MEMORY.of("memory_memory"),
        numbers=", ".join(f"ranked.{name}" for name in numbers(shape)),
        order=shape.profile.order,
    )
    return f"WITH {named}{select}"


def _best(shape: Shape) -> str:
    """Return the rows to fold. For an explanation these are all, because each has a rank."""
    in_order = _IN_ORDER.format(order=shape.profile.order)
    return _BEST.format(
        scored=_scored(shape),
        place=f", row_number() OVER ({in_order}) AS place" if shape.explain else "",
        cut="" if shape.explain else f"{in_order} LIMIT {shape.window or 'ALL'}",
    )


def _folded(shape: Shape) -> str:
    if not shape.each_once:
        return _EVERY
    is_cut = shape.explain and shape.window
    folded = _FOLDED.format(
        order=shape.profile.order,
        form=comparing_form("content"),
        users=", said.user_id" if shape.reader.everyone else "",
        within=f"WHERE best.place <= {shape.window}" if is_cut else "",
    )
    return folded + _REST.format(window=shape.window) if is_cut else folded


def _scored(shape: Shape) -> str:
    return _SCORED.format(
        score=_score(_SIGNALS, shape),
        lexical=as_sql(words.LEXICAL),
        **_importance(shape),
        **_parts(shape),
    )


def _parts(shape: Shape) -> dict[str, str]:
    """Return the columns of the parts of the score that are not signals, and of the fit of the
    superseded memory.
    """
    parts = dict(_PAST if shape.is_past else _PRESENT)
    parts["semantic"] = parts["semantic"].format(of_groups=further.of_groups())
    return {**parts, "others": f", found.others AS {OTHERS}" if shape.others else ""}


def numbers(shape: Shape) -> list[str]:
    """Return the names of the answer's columns after the memory's own."""
    ranks = ["rank", *(f"rank_without_{name}" for name in shape.profile.weights)]
    signals = [f"signal_{name}" for name in SIGNALS]
    parts = [PAST] * shape.is_past + [OTHERS] * bool(shape.others)
    plain = ["time_coef", "current_importance", *signals, *parts, "score"]
    return [*plain, COPIES, *(ranks if shape.explain else [])]


def _importance(shape: Shape) -> dict[str, str]:
    """Return the current importance, and the importance used for ranking. They are computed here,
    because in `found` PostgreSQL would compute `time_coef` again for each reference.
    """
    current = importance_sql.current_importance(raw("found.importance"), raw("found.time_coef"))
    ranking: Expression = current
    if shape.learn:
        learned = importance_sql.adjustment(*(raw(f"found.{name}") for name in COUNTS))
        ranking = importance_sql.effective_importance(current, learned)
    return {"current": as_sql(current), "importance": as_sql(ranking)}


def _score(signals: Mapping[str, RawSQL | float], shape: Shape) -> str:
    score = ranking_sql.score(signals, shape.profile)
    if shape.is_past:
        score = float_result(score + ranking_sql.past_bonus(score, raw(PAST)))
    if shape.others:
        score = float_result(score + ranking_sql.others_cost(score, raw(OTHERS)))
    return as_sql(score)


def _ranks(shape: Shape) -> str:
    """Return the columns of an explanation: each memory's rank, and its rank without each
    signal."""
    if not shape.explain:
        return ""
    orders: dict[str, str] = {"rank": shape.profile.order}
    for name in shape.profile.weights:
        # Computed without the signal, not by subtraction: rounding would make equal scores differ.
        left: dict[str, RawSQL | float] = {**_SIGNALS, name: 0.0}
        orders[f"rank_without_{name}"] = _score(left, shape)
    return "".join(
        f", row_number() OVER (ORDER BY {order} DESC, id) AS {name}"
        for name, order in orders.items()
    )
