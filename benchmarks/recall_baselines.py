"""Simple ways to rank the same texts, to compare recall with.

Each returns scores of shape (questions, statements). BM25 compares stemmed words, or for Chinese
the words that jieba finds.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.recall_sets import Talk

Scores = npt.NDArray[np.float64]


def baselines(
    talk: Talk, language: str, asked: npt.NDArray[np.float32], known: npt.NDArray[np.float32]
) -> dict[str, Scores]:
    """Return the scores of each baseline, by its name; `asked` and `known` are the vectors of
    the questions and of the statements."""
    texts, questions = _texts(talk), [one.text for one in talk.questions]
    words = _bm25(_words(texts, language), _words(questions, language))
    vectors: Scores = (asked @ known.T).astype(np.float64)
    return {
        "vectors alone": vectors,
        "BM25 alone": words,
        "RRF of both": _reciprocal(vectors) + _reciprocal(words),
        "convex sum of both": _by_best(np.maximum(vectors, 0)) + _by_best(words),
    }


def _texts(talk: Talk) -> list[str]:
    return [
        f"{one.speaker} ({one.said_at.day} {one.said_at:%B %Y}): {one.text}"
        if one.speaker
        else one.text
        for one in talk.statements
    ]


def _words(texts: Sequence[str], language: str) -> list[list[str]]:
    if language == "zh":
        import jieba

        return [[word for word in jieba.lcut(text) if word.strip()] for text in texts]
    return _stemmed(texts, language)


def _stemmed(texts: Sequence[str], language: str) -> list[list[str]]:
    """Return the words as PostgreSQL stems them; scripts without spaces as pairs of characters."""
    from memory.text import lexemes

    statement = """
        SELECT coalesce((
            SELECT array_agg(lexeme)
            FROM unnest(to_tsvector(%s::regconfig, text)) AS word, unnest(word.positions)
        ), '{}')
        FROM unnest(%s::text[]) WITH ORDINALITY AS t(text, place) ORDER BY place
    """
    prepared = [lexemes.prepare(text) for text in texts]
    rows = _rows(statement, [lexemes.configuration(language), prepared])
    return [row[0] for row in rows]


def _bm25(
    texts: Sequence[Sequence[str]],
    questions: Sequence[Sequence[str]],
    k1: float = 1.2,
    b: float = 0.75,
) -> Scores:
    """Return the scores of Robertson and Zaragoza 2009."""
    counted = [Counter(words) for words in texts]
    holders = Counter(word for text in counted for word in text)
    lengths = np.array([text.total() for text in counted])
    norms = k1 * (1 - b + b * lengths / lengths.mean())
    scores = np.zeros((len(questions), len(texts)))
    for row, words in enumerate(questions):
        for word in set(words):
            idf = math.log(1 + (len(texts) - holders[word] + 0.5) / (holders[word] + 0.5))
            counts = np.array([text[word] for text in counted])
            scores[row] += idf * counts * (k1 + 1) / (counts + norms)
    return scores


def _rows(statement: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def _reciprocal(scores: Scores) -> Scores:
    places = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
    return 1 / (60 + 1 + places)


def _by_best(scores: Scores) -> Scores:
    best: Scores = scores / np.maximum(scores.max(axis=1, keepdims=True), 1e-9)
    return best
