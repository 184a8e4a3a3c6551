"""Compares saving a thousand memories with COPY of the same rows: `python -m
benchmarks.batch_write`.

Both take turns writing memories, vectors and history into the same tables with the same indexes,
each in one transaction. COPY gets finished rows, with ids and text index; Ebb begins with drafts
and their vectors. (`benchmarks.embedding` measures how vectors are made.)
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import count
from operator import add
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from benchmarks import harness

ITEMS = 1_000
BEFORE = 10_000
TURNS = 20  # of each conversation
WARM_UP = 1

_MEMORY, _VECTOR, _EVENT = "memory_memory", "memory_memoryembedding", "memory_memoryevent"


class Copier:
    """COPY of rows like those of these memories, with new ids and other vectors.

    The copies are in a space of their own, where short ids can be counted instead of drawn.
    """

    def __init__(self, space: Any, ids: Sequence[Any]) -> None:
        self._space, self._numbers = space, count()
        self._memories = _copied_out(_MEMORY, ["id", "short_id"], ids)
        self._events = _copied_out(_EVENT, ["memory_id"], ids)

    def ready(self, vectors: npt.NDArray[np.float32]) -> list[tuple[str, bytes]]:
        """Return the statements of another copy, each with its rows."""
        from pgvector import HalfVector

        ids = [f"{next(self._numbers):08x}{str(uuid4())[8:]}" for _ in vectors]
        own = f"{self._space.pk}\t{self._space.embedder_id}"
        rows = {
            self._memories[0]: [f"{id_}\t{id_[:8]}\t" for id_ in ids],
            self._events[0]: [f"{id_}\t" for id_ in ids],
        }
        prepared = [
            (statement, _lines(rows[statement], rest))
            for statement, rest in (self._memories, self._events)
        ]
        texts = [f"{HalfVector(vector).to_text()}\n" for vector in vectors]
        columns = "memory_id, space_id, embedder_id, vector"
        prepared.append(
            (
                f"COPY {_VECTOR} ({columns}) FROM STDIN",
                _lines([f"{i}\t{own}\t" for i in ids], texts),
            )
        )
        return prepared


def _lines(beginnings: Sequence[str], rest: Sequence[str]) -> bytes:
    return "".join(map(add, beginnings, rest)).encode()


def _copied_out(table: str, keys: list[str], ids: Sequence[Any]) -> tuple[str, list[str]]:
    """Return the COPY into this table, and the columns after the keys in each row of these
    memories."""
    from django.apps import apps
    from django.db import connection

    [model] = [model for model in apps.get_models() if model._meta.db_table == table]
    own = [str(field.column) for field in model._meta.concrete_fields]
    columns = keys + [column for column in own if column not in {*keys, "id"}]
    rows = f"SELECT {', '.join(columns)} FROM {table} WHERE {keys[0]} = ANY(%s)"
    with connection.cursor() as cursor, cursor.copy(f"COPY ({rows}) TO STDOUT", [[*ids]]) as copy:
        lines = b"".join(copy).decode().splitlines(keepends=True)
    rest = [line.split("\t", len(keys))[-1] for line in lines]
    return f"COPY {table} ({', '.join(columns)}) FROM STDIN", rest


def _copy(prepared: Sequence[tuple[str, bytes]]) -> None:
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        for statement, rows in prepared:
            with cursor.copy(statement) as copy:
                copy.write(rows)


def measure(rounds: int) -> None:
    """Measure both ways in turns, print the tables and save them."""
    from django.utils import timezone

    from benchmarks.corpus import fill

    now, report, space = timezone.now(), harness.Report("batch_write"), _space("bench")
    fill(space, BEFORE, now=now, seed=1)
    harness.vacuum()
    for title, turns in (("each by itself", 0), (f"conversations of {TURNS}", TURNS)):
        report.add(f"{ITEMS:,} memories, {title}", _written(space, now, rounds, turns))
    report.save(rounds=rounds, items=ITEMS, before=BEFORE, dimensions=384)


def _space(slug: str) -> Any:
    from accounts.models import Embedder
    from foundation.actors import SYSTEM
    from memory.spaces.services import create_space

    return create_space(slug=slug, name=slug, embedder=Embedder.objects.get(), actor=SYSTEM)


def _written(space: Any, now: Any, rounds: int, turns: int) -> list[dict[str, Any]]:
    from benchmarks.corpus import blended
    from foundation.actors import SYSTEM
    from memory.store.services import store_memories

    calls = rounds + WARM_UP
    texts, vectors = blended(space, (3 * calls + 1) * ITEMS, seed=2)
    parts = iter([slice(first, first + ITEMS) for first in range(0, len(texts), ITEMS)])
    first = next(parts)
    copier = _copier(texts[first], vectors[first], now, turns)

    def copies() -> Callable[[int], object]:
        ready = iter([copier.ready(vectors[next(parts)]) for _ in range(calls)])
        return lambda turn: _copy(next(ready))

    own = [next(parts) for _ in range(calls)]
    batches = iter([prepared(space, texts[some], vectors[some], now, turns) for some in own])
    works: dict[str, Callable[[int], object]] = {
        "COPY": copies(),
        "Ebb": lambda turn: store_memories(prepared=next(batches), actor=SYSTEM, now=now),
        "COPY again (noise)": copies(),
    }
    taken = harness.in_turns(works, rounds=rounds, warm_up=WARM_UP)
    return [
        harness.compared(name, ms, taken["COPY"])
        | {"memories/s": round(1000 * ITEMS / harness.percentile(ms, 50))}
        for name, ms in taken.items()
    ]


def _copier(texts: Sequence[str], vectors: npt.NDArray[np.float32], now: Any, turns: int) -> Copier:
    """Return a copier of the rows that Ebb stores for these memories, in a space of its own."""
    from foundation.actors import SYSTEM
    from memory.models import Memory
    from memory.store.services import store_memories

    space = _space(f"copies-{turns}")
    drafts = prepared(space, texts, vectors, now, turns)
    stored = store_memories(prepared=drafts, actor=SYSTEM, now=now)
    copier = Copier(space, [memory.pk for memory in stored])
    Memory.objects.in_space(space).delete()
    return copier


def prepared(
    space: Any, texts: Sequence[str], vectors: npt.NDArray[np.float32], now: Any, turns: int
) -> Any:
    """Return drafts with their vectors, in conversations of this many turns, or in none."""
    from memory.drafts import MemoryDraft, Source
    from memory.models.policies import current_policy
    from memory.store.services import Prepared
    from memory.text.passages import passages

    talks = [str(uuid4()) if turns else None for _ in range(len(texts) // (turns or len(texts)))]
    drafts = [
        MemoryDraft(
            content=text,
            tags=["bench"],
            source=Source(speaker="Ana", conversation_id=talks[number * len(talks) // len(texts)]),
        )
        for number, text in enumerate(texts)
    ]
    return Prepared(
        space,
        drafts,
        passages(drafts, now),
        {space.embedder_id: vectors[:, None]},
        current_policy(space),
    )


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Writing in bulk beside COPY")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    with harness.own_ebb():
        measure(options.rounds)


if __name__ == "__main__":
    main()
