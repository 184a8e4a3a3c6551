"""Recall computed again, row by row, in Python: what the one SQL statement is compared with.

Vectors are taken back from the database, because there they are rounded to 16 bits; text ranks are
PostgreSQL's own, one row at a time. Everything else is memory.formulas.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db import connection

from accounts.models import Space
from memory.embeddings.trust import trust
from memory.embeddings.vectors import embed
from memory.formulas import ranking
from memory.formulas.importance import effective_importance
from memory.formulas.ranking import PROFILES, SIGNALS
from memory.models import Memory, MemoryEmbedding
from memory.policy import PolicyDocument
from memory.recall.remarks import toward_memories
from memory.recall.sql import LABEL_WEIGHTS
from memory.store.history import importance_now
from memory.text import lexemes

_ONE_HAN = re.compile("[一-鿿]")
_WORDS = "SELECT DISTINCT unnest(tsvector_to_array(to_tsvector(%s::regconfig, %s)))"
_RANK = """
    SELECT id, ts_rank(%s::float4[], search, word), search @@ name
    FROM memory_memory, (SELECT %s::tsquery AS word, %s::tsquery AS name) AS asked
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
    """Return the expected answer of recall."""
    chosen = PROFILES[profile].trusting(trust(space.embedder, query))
    weights = {
        memory.pk: _importance(memory, policy, now)
        for memory in Memory.objects.filter(space_id=space.pk, status="live")
        if (not memory_types or memory.memory_type in memory_types)
        and set(tags) <= set(memory.tags)
    }
    candidates = sorted(weights, key=lambda pk: (-weights[pk], pk))
    if chosen.candidates == "importance":
        candidates = candidates[: policy.recall.candidate_limit]
    question = embed(space.embedder, [query])[0]
    if chosen.lexical:
        question = toward_memories(space.embedder, query, question)
    question = _halved(question)
    rows = list(Memory.objects.filter(pk__in=candidates))
    vectors = {row.memory_id: row.vector for row in MemoryEmbedding.objects.filter(space=space)}
    said = _said(rows, _words(query, now, policy.language))
    found = []
    for row in rows:
        age = max(0.0, (now - row.created_at).total_seconds() / 86400)
        vector = np.asarray(vectors[row.pk], dtype=np.float64)
        cosine = question @ vector / (np.linalg.norm(question) * np.linalg.norm(vector))
        signals = {
            "semantic": ranking.semantic(1.0 - float(cosine)),
            "lexical": said[row.pk][0],
            "speaker": said[row.pk][1],
            "recency": ranking.recency(
                age, policy.recall.recency_scale_days, whole_days=chosen.whole_days
            ),
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


def _importance(memory: Memory, policy: PolicyDocument, now: datetime) -> float:
    current = importance_now(memory, policy.decay, now)
    return effective_importance(current, memory.adjustment if policy.importance.learn else 0.0)


def _halved(vector: np.ndarray) -> np.ndarray:
    return vector.astype(np.float16).astype(np.float64)


def _words(query: str, now: datetime, language: str) -> list[str]:
    with connection.cursor() as cursor:
        text = lexemes.prepare_question(query, now)
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
    return {row.pk: (_lexical(row, matched[row.pk], asked), float(row.pk in named)) for row in rows}


def _lexical(row: Memory, matched: float, asked: float) -> float:
    size, asks = len(row.content.encode()), row.content.endswith(("?", "？", "؟"))
    substance = ranking.substance(size, spoken=bool(row.source_speaker), asks=asks)
    return ranking.lexical(matched, asked, size=size, substance=substance)


def _hits(word: str, among: list[UUID]) -> list[tuple[UUID, float, bool]]:
    """The memories that hold the word, PostgreSQL's rank, and whether it is who spoke."""
    with connection.cursor() as cursor:
        marks = ":*" if _ONE_HAN.fullmatch(word) else ":"
        query = "'{}'{}".format(word.replace("\\", r"\\").replace("'", "''"), marks)
        cursor.execute(_RANK, [LABEL_WEIGHTS, query, f"{query}B", among])
        return list(cursor.fetchall())
