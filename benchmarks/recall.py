"""Compares recall with the bare pgvector query: `python -m benchmarks.recall`.

Both run in turns on the same connection and the same rows. The bare query returns ten ids by
distance alone; recall returns ten memories with all signals of `hybrid` and the score, as Django
objects. In a space of 800, recall ranks all memories; in one of 10,000 it ranks candidates, and the
share of the exact answer among them is measured too. (For a space of 100,000 see
benchmarks.recall_large.)
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg

from benchmarks import harness, spaces

SIZES = (800, 10_000)
LIMIT = 10
EXACTLY = 10**9
_BARE, _WHOLE = "bare pgvector", "recall with policy and embedding"
_BARE_QUERY = (
    "SELECT id FROM memory_memoryembedding WHERE space_id = {space} AND embedder_id = {embedder}"
    f"{{condition}} ORDER BY {{vector}} <=> %s::halfvec LIMIT {LIMIT}"
)


def measure(rounds: int) -> None:
    """Fill the spaces and measure."""
    # Django's models can be imported only once the settings know their database.
    from django.utils import timezone

    from benchmarks.corpus import questions

    now, report = timezone.now(), harness.Report("recall")
    asked = questions(50, seed=3)
    with spaces.without_vector_index():
        filled = {
            size: spaces.filled(f"bench-{size}", size, now, embedded=size == SIZES[0])
            for size in SIZES
        }
    harness.vacuum()
    for size, space in filled.items():
        report.add(f"{size:,} memories in one space", compare(space, asked, now, rounds))
    report.save(rounds=rounds, limit=LIMIT, profile="hybrid", dimensions=384)


def compare(space: Any, asked: Sequence[str], now: datetime, rounds: int) -> list[dict[str, Any]]:
    """Return the rows of the table for this space; the bare query compares with every vector.

    Work that embeds has separate turns: it fills the processor's caches with the model, so the next
    work has to read its own memory again, which takes longer the more it reads.
    """
    from memory.embeddings.vectors import embed
    from memory.recall.recall import SearchRequest, recall

    vectors = embed(space.embedder, asked)
    bare, statement = bare_search(space, vectors), Statement(space, asked, vectors, now)

    def whole(turn: int) -> object:
        return recall(space, SearchRequest(asked[turn % len(asked)], limit=LIMIT), now=now)

    without = {
        _BARE: bare,
        "recall without embedding": statement.search,
        f"{_BARE} again (noise)": bare,
    }
    rows = _rows(without, rounds) + _rows({_BARE: bare, _WHOLE: whole}, rounds)[1:]
    return [
        row | {"recall@10": statement.recall_at_10() if n == 1 else ""}
        for n, row in enumerate(rows)
    ]


def _rows(works: Mapping[str, Callable[[int], object]], rounds: int) -> list[dict[str, Any]]:
    taken = harness.in_turns(works, rounds=rounds)
    return [harness.compared(name, ms, taken[_BARE]) for name, ms in taken.items()]


def bare_search(
    space: Any, vectors: npt.NDArray[np.float32], *, by_index: bool = False
) -> Callable[[int], list[Any]]:
    """Return the bare query for one of the vectors, exact or by the index of a large space."""
    from django.db import connection
    from pgvector import HalfVector

    connection.ensure_connection()
    cursor = psycopg.Cursor(connection.connection)
    parts = {"condition": "", "vector": "vector"}
    if by_index:
        indexed = f"vector::halfvec({vectors.shape[1]})"
        parts = {"condition": " AND in_index", "vector": indexed}
    query = _BARE_QUERY.format(space=space.pk, embedder=space.embedder_id, **parts)
    texts = [HalfVector(one).to_text() for one in vectors]
    return lambda turn: cursor.execute(query, [texts[turn % len(texts)]]).fetchall()


class Statement:
    """Recall without policy and embedding, for questions asked in turn."""

    def __init__(
        self, space: Any, asked: Sequence[str], vectors: npt.NDArray[np.float32], now: datetime
    ):
        from memory.formulas.ranking import PROFILES
        from memory.policy import PolicyDocument
        from memory.recall.sql import Question, Shape

        policy = PolicyDocument()
        self._shape = Shape(PROFILES["hybrid"], policy.decay, policy.recall, policy.language, LIMIT)
        pairs = zip(asked, vectors, strict=True)
        self._questions = [Question(space, text, vector, now) for text, vector in pairs]

    def search(self, turn: int) -> list[Any]:
        """Return the result for a turn's question."""
        from memory.recall.sql import recalled

        found = list(recalled(self._questions[turn % len(self._questions)], self._shape))
        assert len(found) == LIMIT
        return found

    def recall_at_10(self) -> float:
        """Return the share of the exact answer that is found, as the mean over the questions."""
        from memory.recall.sql import recalled

        shares = []
        for turn, question in enumerate(self._questions):
            exact = {memory.pk for memory in recalled(question, self._shape, large=EXACTLY)}
            shares.append(len(exact & {memory.pk for memory in self.search(turn)}) / LIMIT)
        return round(float(np.mean(shares)), 3)


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Recall beside the bare pgvector query")
    parser.add_argument("--rounds", type=int, default=300)
    options = parser.parse_args()
    with harness.own_ebb():
        measure(options.rounds)


if __name__ == "__main__":
    main()
