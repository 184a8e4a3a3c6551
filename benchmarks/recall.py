"""How long recall takes beside the bare pgvector query: `python -m benchmarks.recall`.

Both on the same connection and the same rows, in turns. The bare query returns ten ids by cosine
distance alone; ours computes every signal of `hybrid` for every live memory, and returns ten
memories with signals, contributions and score as Django objects.
"""

import argparse
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import psycopg

from benchmarks import harness

SIZES = (800, 10_000)
SMALL_SPACES, SMALL_SIZE = 1_000, 10
LIMIT = 10
_BARE = (
    "SELECT id FROM memory_memoryembedding WHERE space_id = %s AND embedder_id = %s"
    f" ORDER BY vector <=> %s::halfvec LIMIT {LIMIT}"
)


def measure(rounds: int) -> None:
    """Fills the spaces, measures, fills a thousand others beside them, measures again."""
    # Django's models can be imported only once the settings know their database.
    from django.utils import timezone

    from benchmarks.corpus import questions

    now, report = timezone.now(), harness.Report("recall")
    asked = questions(50, seed=3)
    spaces = {size: _space(f"bench-{size}", size, now) for size in SIZES}
    harness.vacuum()
    for size, space in spaces.items():
        report.add(f"{size:,} memories in one space", _compare(space, asked, now, rounds))
    _add_small_spaces(spaces[SIZES[1]])
    harness.vacuum()
    beside = f"beside {SMALL_SPACES:,} other spaces of {SMALL_SIZE}"
    for size, space in spaces.items():
        report.add(f"{size:,} memories, {beside}", _compare(space, asked, now, rounds))
    report.save(rounds=rounds, limit=LIMIT, profile="hybrid", dimensions=384)


def _add_small_spaces(pattern: Any) -> None:
    """Deals the memories of a space out to small ones, as copies: one by one takes minutes."""
    from memory.models import Memory, MemoryEmbedding, Space

    names = [f"bench-small-{number}" for number in range(SMALL_SPACES)]
    spaces = Space.objects.bulk_create(
        Space(slug=name, name=name, embedder_id=pattern.embedder_id) for name in names
    )
    vectors = MemoryEmbedding.objects.filter(space_id=pattern.pk).select_related("memory")
    copies = list(vectors.order_by("pk")[: SMALL_SPACES * SMALL_SIZE])
    for number, copy in enumerate(copies):
        memory = copy.memory
        memory.pk = uuid4()
        memory.short_id = memory.pk.hex[:8]
        copy.pk, copy.memory = None, memory
        copy.space = memory.space = spaces[number // SMALL_SIZE]
    Memory.objects.bulk_create([copy.memory for copy in copies], batch_size=1000)
    MemoryEmbedding.objects.bulk_create(copies, batch_size=1000)


def _space(slug: str, size: int, now: datetime) -> Any:
    from benchmarks.corpus import fill
    from memory.actors import SYSTEM
    from memory.models import Embedder
    from memory.services.spaces import create_space

    space = create_space(slug=slug, name=slug, embedder=Embedder.objects.get(), actor=SYSTEM)
    fill(space, size, now=now, seed=1, embedded=size == SIZES[0])
    return space


def _compare(space: Any, asked: Sequence[str], now: datetime, rounds: int) -> list[dict[str, Any]]:
    from memory.recall import recall
    from memory.services.memories import embed_documents

    vectors = embed_documents(space, asked)
    bare, statement = _bare(space, vectors), _statement(space, asked, vectors, now)
    works: dict[str, Callable[[int], object]] = {
        "bare pgvector": bare,
        "recall without embedding": statement,
        "bare pgvector again (noise)": bare,
        "recall with policy and embedding": lambda turn: recall(
            space=space, query=asked[turn % len(asked)], now=now, limit=LIMIT
        ),
    }
    taken = harness.in_turns(works, rounds=rounds)
    return [harness.compared(name, ms, taken["bare pgvector"]) for name, ms in taken.items()]


def _bare(space: Any, vectors: npt.NDArray[np.float32]) -> Callable[[int], object]:
    from django.db import connection
    from pgvector import HalfVector

    connection.ensure_connection()
    cursor = psycopg.Cursor(connection.connection)
    texts = [HalfVector(vector).to_text() for vector in vectors]

    def search(turn: int) -> object:
        question = [space.pk, space.embedder_id, texts[turn % len(texts)]]
        return cursor.execute(_BARE, question).fetchall()

    return search


def _statement(
    space: Any, asked: Sequence[str], vectors: npt.NDArray[np.float32], now: datetime
) -> Callable[[int], object]:
    from memory.formulas.ranking import PROFILES
    from memory.policy import PolicyDocument
    from memory.querysets.recall import Question, Shape, recalled

    policy = PolicyDocument()
    shape = Shape(PROFILES["hybrid"], policy.decay, policy.recall, policy.language, LIMIT)

    def search(turn: int) -> object:
        number = turn % len(asked)
        found = recalled(Question(space, asked[number], vectors[number], now), shape)
        assert len(found) == LIMIT
        return found

    return search


def main() -> None:
    parser = argparse.ArgumentParser(description="Recall beside the bare pgvector query")
    parser.add_argument("--rounds", type=int, default=300)
    options = parser.parse_args()
    with harness.own_ebb():
        measure(options.rounds)


if __name__ == "__main__":
    main()
