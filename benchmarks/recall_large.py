"""Measures recall in one space of 100,000 memories: `python -m benchmarks.recall_large`.

The bare query of the approximate index uses the smallest `hnsw.ef_search` with which it reaches the
same recall@10 as Ebb's recall.
"""

import argparse
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import harness, spaces
from benchmarks.recall import LIMIT, Statement, bare_search

SIZE = 100_000
EFFORTS = (10, 20, 40, 80, 160, 320, 640)


def measure(rounds: int, size: int) -> None:
    """Fill a space, measure both ways in turns and save the table."""
    from django.utils import timezone

    from benchmarks.corpus import questions
    from memory.embeddings.vectors import embed

    now, report = timezone.now(), harness.Report("recall_large")
    with spaces.without_vector_index():
        space = spaces.filled("bench-large", size, now)
    harness.vacuum()
    asked = questions(50, seed=3)
    vectors = embed(space.embedder, asked)
    statement = Statement(space, asked, vectors, now)
    ours = statement.recall_at_10()
    effort, bare_recall = _same_recall(space, vectors, ours)
    bare = bare_search(space, vectors, by_index=True)
    works = {
        "bare HNSW": bare,
        "recall without embedding": statement.search,
        "bare HNSW again (noise)": bare,
    }
    taken = harness.in_turns(works, rounds=rounds)
    found = {"bare HNSW": bare_recall, "recall without embedding": ours}
    rows = [
        harness.compared(name, ms, taken["bare HNSW"]) | {"recall@10": found.get(name, "")}
        for name, ms in taken.items()
    ]
    report.add(f"{size:,} memories in one space", rows)
    report.save(rounds=rounds, limit=LIMIT, profile="hybrid", dimensions=384, ef_search=effort)


def _same_recall(space: Any, vectors: npt.NDArray[np.float32], wanted: float) -> tuple[int, float]:
    """Set the smallest ef_search that finds the wanted share; return the setting and the share."""
    from django.db import connection

    exact = bare_search(space, vectors)
    near = bare_search(space, vectors, by_index=True)
    turns = range(len(vectors))
    true = [set(exact(turn)) for turn in turns]
    for effort in EFFORTS:
        with connection.cursor() as cursor:
            cursor.execute("SET hnsw.ef_search = %s", [effort])
        found = float(np.mean([len(true[turn] & set(near(turn))) / LIMIT for turn in turns]))
        if found >= wanted:
            break
    return effort, round(found, 3)


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Recall in a space of 100,000 memories")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--size", type=int, default=SIZE)
    options = parser.parse_args()
    with harness.own_ebb():
        measure(options.rounds, options.size)


if __name__ == "__main__":
    main()
