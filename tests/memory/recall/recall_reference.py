"""Recall computed again, row by row, in Python: what the one SQL statement is compared with.

Vectors are taken back from the database, because there they are rounded to 16 bits; text ranks are
PostgreSQL's own, one row at a time. Everything else is memory.formulas.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db import connection

from memory.embeddings import get_embedder
from memory.formulas import ranking
from memory.formulas.ranking import PROFILES, SIGNALS
from memory.models import Memory, MemoryEmbedding, Space
from memory.policy import PolicyDocument
from memory.recall.sql import LABEL_WEIGHTS
from memory.store.history import importance_now
from memory.text import lexemes

_WORDS = "SELECT DISTINCT unnest(tsvector_to_array(to_tsvector(%s::regconfig, %s)))"
_RANK = """
    SELECT id, ts_rank(%s::float4[], search, word), search @@ name
    FROM memory_memory, plainto_tsquery('simple', %s) AS word, to_tsquery('simple', %s) AS name
    WHERE id = ANY(%s) AND search @@ word
"""


@dataclass(frozen=True)
class Expected:
    """One memory with every number that recall gives for it."""

    memory: Memory
    signals: dict[str, float]
    contributions: dict[str, float]
    score: float


def expected_recall(
    space: Space,
    query: str,
    now: datetime,
    policy: PolicyDocument,
    *,
    profile: str,
    limit: int | None = None,
    memory_types: Sequence[str] = (),
    tags: Sequence[str] = (),
) -> list[Expected]:
    """What recall should answer."""
    chosen = PROFILES[profile]
    weights = {
        memory.pk: importance_now(memory, policy.decay, now)
        for memory in Memory.objects.filter(space_id=space.pk, status="live")
        if (not memory_types or memory.memory_type in memory_types)
        and set(tags) <= set(memory.tags)
    }
    candidates = sorted(weights, key=lambda pk: (-weights[pk], pk))
    if chosen.candidates == "importance":
        candidates = candidates[: policy.recall.candidate_limit]
    question = _halved(get_embedder("local", "all-MiniLM-L6-v2", 384).embed([query])[0])
    rows = list(Memory.objects.filter(pk__in=candidates))
    vectors = {row.memory_id: row.vector for row in MemoryEmbedding.objects.filter(space=space)}
    said = _said(rows, _words(query, policy.language))
    found = []
    for row in rows:
        age = max(0.0, (now - row.created_at).total_seconds() / 86400)
        vector = np.asarray(vectors[row.pk], dtype=np.float64)
        cosine = question @ vector / (np.linalg.norm(question) * np.linalg.norm(vector))
        signals = {
            "semantic": ranking.semantic(1.0 - float(cosine)),
            "lexical": said[row.pk][0],
            "speaker": said[row.pk][1],
            "recency": ranking.recency(age, policy.recall.recency_scale_days),
            "importance": weights[row.pk],
        }
        assert list(signals) == list(SIGNALS)
        found.append(
            Expected(
                row,
                signals,
                ranking.contributions(signals, chosen),
                ranking.score(signals, chosen),
            )
        )
    if chosen.order == "created_at":
        found.sort(key=lambda hit: (-hit.memory.created_at.timestamp(), hit.memory.pk))
    else:
        found.sort(key=lambda hit: (-hit.score, hit.memory.pk))
    return found[: limit or chosen.limit or policy.recall.limit]


def _halved(vector: np.ndarray) -> np.ndarray:
    return vector.astype(np.float16).astype(np.float64)


def _words(query: str, language: str) -> list[str]:
    with connection.cursor() as cursor:
        text = lexemes.prepare_question(query)
        cursor.execute(_WORDS, [lexemes.configuration(language), text])
        return [word for (word,) in cursor.fetchall()]


def _said(rows: Sequence[Memory], words: Sequence[str]) -> dict[UUID, tuple[float, float]]:
    """The lexical and the speaker signal of each row."""
    matched, named, asked = dict.fromkeys((row.pk for row in rows), 0.0), set(), 0.0
    for word in words:
        hits = _hits(word, list(matched))
        rarity = ranking.rarity(len(hits), len(rows))
        asked += rarity
        for pk, rank, is_name in hits:
            matched[pk] += ranking.word_match(rank) * rarity
            if is_name:
                named.add(pk)
    return {pk: (ranking.lexical(sum_, asked), float(pk in named)) for pk, sum_ in matched.items()}


def _hits(word: str, among: list[UUID]) -> list[tuple[UUID, float, bool]]:
    """The memories that hold the word, PostgreSQL's rank, and whether it is who spoke."""
    with connection.cursor() as cursor:
        cursor.execute(_RANK, [LABEL_WEIGHTS, word, f"'{word}':B", among])
        return list(cursor.fetchall())
