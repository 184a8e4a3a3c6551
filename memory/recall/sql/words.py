"""Parts of recall's statement for the question's words.

    asked     the question's words, each as a query
    hits      matches of a memory and a word, with their strength
    words     the weight of each word: its rarity
    matches   one row for each memory that matches any word

In a small space, a word's rarity is counted among all ranked memories. In a large space, counting a
common name would mean reading half of the space, so rarity is estimated:

    sample    the memories with the lowest ids, which are random: the same each time
    counted   the number of memories in the sample with each word
    rare      all memories with a word that is rare in the sample, from the text index
"""

from __future__ import annotations

from foundation.readers import Reader
from memory.formulas import ranking_sql
from memory.models.memories import search_in_space
from memory.recall.sql.expressions import as_sql, raw

LABEL_WEIGHTS = [0.4, 0.7, 1.0, 1.0]
"""Weights of a word by its label in passages.py, in PostgreSQL's order D, C, B, A: two or three
turns away, the turn before or after, the speaker's name, the memory itself."""

SAMPLE = 300
"""Number of memories in the sample."""
RARE, FEW = 5, 500
"""A word is rare if fewer than five memories of the sample contain it, or fewer than about 500
of the space. Rare words are counted exactly, and the memories with them become candidates."""

# plainto_tsquery joins the words with AND, which finds nothing for four out of five questions.
# After the split, each word is a separate query, quoted as PostgreSQL requires. A single Chinese
# character is a prefix: it finds the pairs of characters that begin with it.
ASKED = """
    SELECT min(number) AS number, (word || marks)::tsquery AS word,
        (word || marks || 'B')::tsquery AS name
    FROM unnest(string_to_array(
        plainto_tsquery(%(configuration)s::regconfig, %(text)s)::text, ' & '
    )) WITH ORDINALITY AS each(word, number),
    LATERAL (
        SELECT CASE WHEN word ~ '^''[㐀-䶿一-鿿]''$' THEN ':*' ELSE ':' END AS marks
    ) AS prefix
    GROUP BY word, marks
"""
_HITS = """
    SELECT found.id, asked.number, {match} AS match,
        (found.search @@ asked.name)::int::float8 AS said_by
    FROM asked JOIN found ON found.search @@ asked.word
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
# A short id is the start of the id, and is indexed by space.
_SAMPLE = """
    SELECT id, search FROM memory_memory
    WHERE space_id = %(space)s AND status = 'live' AND {readable}
    ORDER BY short_id LIMIT {sample}
"""
_COUNTED = """
    SELECT *, held < greatest({rare}, {few} / %(per_sampled)s::float8) AS is_rare
    FROM (
        SELECT asked.*, (SELECT count(*) FROM sample WHERE sample.search @@ asked.word) AS held
        FROM asked
    ) AS each
"""
_RARE = """
    SELECT memory_memory.id, counted.number, {match} AS match
    FROM counted JOIN memory_memory
        ON {in_space} @@ ('''@' || %(space)s || ''' & ' || counted.word::text)::tsquery
    WHERE counted.is_rare AND memory_memory.space_id = %(space)s AND ({known}) AND {readable}
"""
_WORDS_OF_SAMPLE = """
    SELECT number, {rarity} AS rarity
    FROM (
        SELECT counted.number, sampled.memories, least(sampled.memories,
            CASE WHEN counted.is_rare
                THEN (SELECT count(*) FROM rare WHERE rare.number = counted.number)
                ELSE counted.held * %(per_sampled)s::float8
            END) AS holders
        FROM counted, (SELECT count(*) * %(per_sampled)s::float8 AS memories FROM sample) AS sampled
    ) AS estimated
"""

LEXICAL = ranking_sql.lexical(
    raw("matches.matched"),
    raw("(SELECT sum(rarity) FROM words)"),
    size=raw("found.size"),
    substance=raw("found.substance"),
)
"""The lexical signal of a memory, with or without a row in `matches`."""


def of_sample(reader: Reader, known: str) -> dict[str, str]:
    """Return the parts that estimate the words' rarity before candidates are chosen: rare words
    help to find them. `known` is the condition on memories that the question may find."""
    match, in_space = _match("memory_memory.search", "counted.word"), as_sql(search_in_space())
    return {
        "sample": _SAMPLE.format(sample=SAMPLE, readable=reader.sql("user_id")),
        "counted": _COUNTED.format(rare=RARE, few=FEW),
        "rare": _RARE.format(
            match=match,
            in_space=in_space,
            known=known,
            readable=reader.sql("memory_memory.user_id"),
        ),
        "words": _WORDS_OF_SAMPLE.format(rarity=_rarity("holders", "memories")),
    }


def of_found(*, count: bool) -> dict[str, str]:
    """Return the parts that match `found` with the words; with `count` also the words' rarity in
    `found`."""
    rarity = _rarity("count(hits.id)", "(SELECT count(*) FROM found)")
    return {
        "hits": _HITS.format(match=_match("found.search", "asked.word")),
        **({"words": _WORDS.format(rarity=rarity)} if count else {}),
        "matches": _MATCHES,
    }


def _rarity(holders: str, memories: str) -> str:
    return as_sql(ranking_sql.rarity(raw(holders), raw(memories)))


def _match(search: str, word: str) -> str:
    weights = ", ".join(map(str, LABEL_WEIGHTS))
    return as_sql(ranking_sql.word_match(raw(f"ts_rank('{{{weights}}}', {search}, {word})")))
