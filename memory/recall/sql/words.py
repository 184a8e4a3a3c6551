"""What the question's words say, as parts of recall's statement.

    asked     the question's words, each as a query
    hits      which candidate answers which word, and how well
    words     how much each word tells: its rarity
    matches   one row per candidate that answers any word

In a small space a word's rarity is counted among all that may be ranked. In a large one that would
mean to read half of the space for a common name, so there it is estimated:

    sample    the first memories of the space by their ids, which are random: the same each time
    counted   how many of them hold each word
    rare      all that hold a word which the sample hardly knows, from the text index
"""

from __future__ import annotations

from django.db.models import Func, Value
from django.db.models.expressions import Expression
from django.db.models.functions import Coalesce

from memory.formulas import ranking_sql
from memory.formulas.expressions import double
from memory.models.memories import search_in_space
from memory.recall.sql.fragments import Fragment, column, expression
from memory.recall.sql.questions import SIZE, SPACE, TEXT
from memory.text import lexemes

LABEL_WEIGHTS = [0.4, 0.7, 1.0, 1.0]
"""What a word is worth by its label in passages.py, in PostgreSQL's order D, C, B, A: said two or
three turns away, said in the turn before or after, the speaker's name, the memory itself."""

SAMPLE = 300
"""Memories in the sample."""
RARE, FEW = 5, 500
"""A word that fewer than five of the sample hold is rare, and so is one that fewer than some 500 of
the space hold: it is counted exactly, and brings its holders as candidates."""

_ASKED = """
    SELECT min(number) AS number, word::tsquery AS word, (word || ':B')::tsquery AS name
    FROM unnest(string_to_array(plainto_tsquery(%s::regconfig, (SELECT %s))::text, ' & '))
        WITH ORDINALITY AS each(word, number)
    GROUP BY word
"""
_HITS = """
    SELECT {table}.id, asked.number, {match} AS match,
        CASE WHEN {table}.search @@ asked.name THEN 1.0::float8 ELSE 0.0::float8 END AS said_by
    FROM asked JOIN {table} ON {table}.search @@ asked.word
"""
# First by all words at once: most memories hold none of them.
_IN_SPACE = """
    WHERE memory_memory.space_id BETWEEN %s AND %s AND memory_memory.status = 'live'
        AND (SELECT are_few FROM live)
        AND memory_memory.search @@ (SELECT string_agg(word::text, ' | ')::tsquery FROM asked)
"""
_WORDS = """
    SELECT asked.number, {rarity} AS rarity
    FROM asked LEFT JOIN hits ON hits.number = asked.number
    GROUP BY asked.number
"""
_MATCHES = """
    SELECT hits.id, sum(hits.match * words.rarity) AS matched, max(hits.said_by) AS said_by
    FROM hits JOIN words ON words.number = hits.number
    GROUP BY hits.id
"""
# A short id is the beginning of the id, and has an index by space.
_SAMPLE = """
    SELECT search FROM memory_memory
    WHERE space_id = %s AND status = 'live' ORDER BY short_id LIMIT %s
"""
_COUNTED = """
    SELECT *, held < greatest(%s, %s::float8 * %s / %s) AS is_rare,
        ('''@' || %s || ''' & ' || word::text)::tsquery AS word_in_space
    FROM (
        SELECT asked.*, (SELECT count(*) FROM sample WHERE sample.search @@ asked.word) AS held
        FROM asked
    ) AS each
"""
_RARE = """
    SELECT memory_memory.id, counted.number, {match} AS match
    FROM counted JOIN memory_memory ON {in_space} @@ counted.word_in_space
    WHERE counted.is_rare AND memory_memory.space_id = %s AND memory_memory.status = 'live'
"""
_WORDS_OF_SAMPLE = """
    SELECT number, {rarity} AS rarity
    FROM (
        SELECT number, memories, least(memories, holders) AS holders
        FROM (
            SELECT counted.number,
                (SELECT count(*) FROM sample) * %s::float8 / %s AS memories,
                CASE WHEN counted.is_rare
                    THEN (SELECT count(*) FROM rare WHERE rare.number = counted.number)
                    ELSE counted.held * %s::float8 / %s
                END AS holders
            FROM counted
        ) AS estimated
    ) AS bounded
"""

_ALL_RARITY = column("(SELECT sum(rarity) FROM words)")


def asked(language: str) -> Fragment:
    """`plainto_tsquery` joins the question's words with AND, which finds nothing for four questions
    in five; taken apart, each word is a query of its own, quoted as PostgreSQL wants it.

    The inner SELECT hides the text from the planner: one plan then serves all questions.
    """
    return Fragment(_ASKED, (lexemes.configuration(language), TEXT))


def of_candidates() -> dict[str, Fragment]:
    """`hits` and `words`, each word's rarity counted among the rows of `found`."""
    return {"hits": hits("found"), "words": _words("(SELECT count(*) FROM found)")}


def of_space() -> dict[str, Fragment]:
    """The same for all memories that `live` counts, without what else is known of them: to carry
    their texts through the statement takes longer than to look at each memory twice."""
    found = hits("memory_memory")
    hits_in_space = Fragment(found.text + _IN_SPACE, (*found.parameters, SPACE, SPACE))
    return {"hits": hits_in_space, "words": _words("(SELECT memories FROM live)")}


def _words(memories: str) -> Fragment:
    rarity = ranking_sql.rarity(column("count(hits.id)"), column(memories))
    return Fragment(_WORDS).filled(rarity=expression(rarity))


def of_sample() -> dict[str, Fragment]:
    """`sample`, `counted`, `rare` and `words`, which need no candidates: they help to find them."""
    rarity = expression(ranking_sql.rarity(column("holders"), column("memories")))
    in_space = expression(search_in_space())
    scale = (SIZE, SAMPLE)
    return {
        "sample": Fragment(_SAMPLE, (SPACE, SAMPLE)),
        "counted": Fragment(_COUNTED, (RARE, FEW, SAMPLE, SIZE, SPACE)),
        "rare": Fragment(_RARE, (SPACE,)).filled(
            match=_match("memory_memory.search", "counted.word"), in_space=in_space
        ),
        "words": Fragment(_WORDS_OF_SAMPLE, (*scale, *scale)).filled(rarity=rarity),
    }


def hits(table: str) -> Fragment:
    """Each row of the table with each word it answers."""
    match = _match(f"{table}.search", "asked.word")
    return Fragment(_HITS).filled(table=Fragment(table), match=match)


def matches() -> Fragment:
    """What each candidate answers altogether."""
    return Fragment(_MATCHES)


def lexical() -> Expression:
    """The signal of a row of `matches`, or of none."""
    return ranking_sql.lexical(column("matches.matched"), _ALL_RARITY)


def speaker() -> Expression:
    """The same for who said it."""
    return Coalesce(column("matches.said_by"), double(0.0))


def _match(search: str, word: str) -> Fragment:
    weights = Func(Value(LABEL_WEIGHTS), template="%(expressions)s::float4[]")
    rank = Func(weights, column(search), column(word), function="ts_rank")
    return expression(ranking_sql.word_match(rank))
