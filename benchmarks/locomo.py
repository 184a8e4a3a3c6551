"""How well recall finds the evidence: `python -m benchmarks.locomo --data FILE`.

FILE has LoCoMo's format (Maharana et al. 2024; its licence is non-commercial, so it is not part of
this project). Each turn becomes one memory through the batch service; each question of categories
1 to 4 with known evidence is asked through recall. The rows beside it rank the same texts.

    R@k     the share of a question's evidence among the first k, over all questions
    MRR@10  one over the place of the first evidence, 0 beyond the tenth
"""

import argparse
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import harness
from benchmarks.locomo_data import Conversation, Question, conversations
from memory.formulas.retrieval import recall_at, reciprocal_rank

CUTS = (5, 10, 20)
LEXICAL_WEIGHTS, SPEAKER_WEIGHTS = (1.0, 1.5, 2.0), (0.0, 0.15, 0.3)

Scores = npt.NDArray[np.float64]
Figures = npt.NDArray[np.float64]


def figures(asked: Question, ranked: Sequence[int]) -> list[float]:
    """R@5, R@10, R@20 and MRR@10 of one answer, best first."""
    recalls = [recall_at(cut, asked.evidence, ranked) for cut in CUTS]
    return [*recalls, reciprocal_rank(asked.evidence, ranked, depth=10)]


class Bench:
    """One conversation in a space of its own, with every way to rank it."""

    def __init__(self, conversation: Conversation, now: datetime) -> None:
        from memory.actors import SYSTEM
        from memory.models import Embedder
        from memory.spaces.services import create_space

        self.conversation, self.now = conversation, now
        slug = re.sub(r"\W", "-", conversation.name).lower()
        self.space = create_space(
            slug=slug, name=slug, embedder=Embedder.objects.get(), actor=SYSTEM
        )
        self._remember()
        self.vectors = self._embedded([asked.text for asked in conversation.questions])

    def _remember(self) -> None:
        """Every turn as a memory, up to a thousand in one call, as the API takes them."""
        from memory.actors import SYSTEM
        from memory.drafts import MemoryDraft, Source
        from memory.store.services import create_memories

        drafts = [
            MemoryDraft(
                content=turn.content,
                created_at=turn.said_at,
                source=Source(speaker=turn.speaker, conversation_id=self.conversation.name),
            )
            for turn in self.conversation.turns
        ]
        self.places: dict[Any, int] = {}
        for start in range(0, len(drafts), 1000):
            part = drafts[start : start + 1000]
            stored = create_memories(space=self.space, drafts=part, actor=SYSTEM, now=self.now)
            self.places |= {memory.pk: start + n for n, memory in enumerate(stored)}

    def _embedded(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        from memory.embeddings.vectors import embed

        return embed(self.space.embedder, texts)

    def ebb(self, profile: Any) -> list[list[float]]:
        """Figures of each question, by Ebb's own statement."""
        from memory.policy import PolicyDocument
        from memory.recall.sql import Question, Shape, recalled

        policy = PolicyDocument()
        shape = Shape(profile, policy.decay, policy.recall, policy.language, max(CUTS))
        rows = []
        for asked, vector in zip(self.conversation.questions, self.vectors, strict=True):
            found = recalled(Question(self.space, asked.text, vector, self.now), shape)
            rows.append(figures(asked, [self.places[memory.pk] for memory in found]))
        return rows

    def by(self, scores: Scores) -> list[list[float]]:
        """Figures of each question, by these scores: shape (questions, turns)."""
        best = np.argsort(-scores, axis=1, kind="stable")[:, : max(CUTS)]
        pairs = zip(self.conversation.questions, best.tolist(), strict=True)
        return [figures(asked, ranked) for asked, ranked in pairs]

    def baselines(self) -> dict[str, list[list[float]]]:
        """Figures of what others do with the same texts."""
        dense, text_rank = self._dense(), self._text_ranks()
        fused = _reciprocal(dense) + _reciprocal(text_rank)
        convex = _by_best(np.maximum(dense, 0)) + _by_best(text_rank)
        return {
            "dense cosine": self.by(dense),
            "BM25, stemmed": self.by(self._bm25()),
            "ts_rank, OR": self.by(text_rank),
            "RRF of dense and ts_rank": self.by(fused),
            "convex sum of dense and ts_rank": self.by(convex),
        }

    def _texts(self) -> list[str]:
        turns = self.conversation.turns
        dates = [f"{turn.said_at.day} {turn.said_at:%B %Y}" for turn in turns]
        return [
            f"{turn.speaker} ({date}): {turn.content}"
            for turn, date in zip(turns, dates, strict=True)
        ]

    def _dense(self) -> Scores:
        from memory.models import MemoryEmbedding

        rows = MemoryEmbedding.objects.filter(space_id=self.space.pk)
        vectors = np.zeros((len(self.places), self.vectors.shape[1]))
        for memory_id, vector in rows.values_list("memory_id", "vector"):
            vectors[self.places[memory_id]] = vector
        return self.vectors @ vectors.T

    def _text_ranks(self) -> Scores:
        statement = """
            WITH asked AS (SELECT number, replace(plainto_tsquery('english', text)::text, '&', '|')
                ::tsquery AS query FROM unnest(%s::text[]) WITH ORDINALITY AS q(text, number)),
            texts AS (SELECT place, to_tsvector('english', text) AS search
                FROM unnest(%s::text[]) WITH ORDINALITY AS t(text, place))
            SELECT array_agg(ts_rank(search, query) ORDER BY place) FROM asked, texts
            GROUP BY number ORDER BY number
        """
        questions = [asked.text for asked in self.conversation.questions]
        return np.array([row[0] for row in _rows(statement, [questions, self._texts()])])

    def _bm25(self, k1: float = 1.2, b: float = 0.75) -> Scores:
        """Robertson and Zaragoza 2009, over the same stemmed words."""
        texts = [Counter(words) for words in _stemmed(self._texts())]
        questions = _stemmed([asked.text for asked in self.conversation.questions])
        holders = Counter(word for text in texts for word in text)
        lengths = np.array([text.total() for text in texts])
        norms = k1 * (1 - b + b * lengths / lengths.mean())
        scores = np.zeros((len(questions), len(texts)))
        for row, words in enumerate(questions):
            for word in set(words):
                idf = math.log(1 + (len(texts) - holders[word] + 0.5) / (holders[word] + 0.5))
                counts = np.array([text[word] for text in texts])
                scores[row] += idf * counts * (k1 + 1) / (counts + norms)
        return scores


def _stemmed(texts: Sequence[str]) -> list[list[str]]:
    statement = """
        SELECT coalesce((
            SELECT array_agg(lexeme)
            FROM unnest(to_tsvector('english', text)) AS word, unnest(word.positions)
        ), '{}')
        FROM unnest(%s::text[]) WITH ORDINALITY AS t(text, place) ORDER BY place
    """
    return [row[0] for row in _rows(statement, [list(texts)])]


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


def measure(path: Path) -> None:
    from django.utils import timezone

    from memory.formulas.ranking import PROFILES

    report = harness.Report("locomo")
    benches = [Bench(conversation, timezone.now()) for conversation in conversations(path)]
    harness.vacuum()
    hybrid = PROFILES["hybrid"]
    ours = [np.array(bench.ebb(hybrid)) for bench in benches]
    names = [bench.conversation.name for bench in benches]
    report.add("Ebb, hybrid", [_row(*pair) for pair in zip(names, ours, strict=True)])
    others = [bench.baselines() for bench in benches]
    rows = [
        _row(name, np.concatenate([np.array(one[name]) for one in others])) for name in others[0]
    ]
    report.add("All conversations", [*rows, _row("Ebb, hybrid", np.concatenate(ours))])
    report.add("Weights chosen on the other conversations", _left_out(benches, hybrid))
    report.save(questions=sum(map(len, ours)), conversations=len(benches))


def _left_out(benches: Sequence[Bench], hybrid: Any) -> list[dict[str, Any]]:
    """Each conversation ranked by the weights that are best on all others."""
    tried: dict[str, list[Figures]] = {}
    for lexical in LEXICAL_WEIGHTS:
        for speaker in SPEAKER_WEIGHTS:
            profile = replace(hybrid, lexical=lexical, speaker=speaker)
            name = f"lexical {lexical}, speaker {speaker}"
            tried[name] = [np.array(bench.ebb(profile)) for bench in benches]
    rows, unseen = [], []
    for place, bench in enumerate(benches):
        others = {
            name: float(np.concatenate(found[:place] + found[place + 1 :]).mean())
            for name, found in tried.items()
        }
        chosen = max(others, key=others.__getitem__)
        unseen.append(tried[chosen][place])
        rows.append(_row(f"{bench.conversation.name} ({chosen})", unseen[-1]))
    return [*rows, _row("all", np.concatenate(unseen))]


def _row(name: str, found: Figures) -> dict[str, Any]:
    means = found.mean(axis=0)
    labels = [*(f"R@{cut}" for cut in CUTS), "MRR@10"]
    return {"what": name} | {
        label: f"{mean:.3f}" for label, mean in zip(labels, means, strict=True)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Evidence recall on LoCoMo's conversations")
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    with harness.own_ebb():
        measure(options.data)


if __name__ == "__main__":
    main()
