"""Compares recall with mem0 on the same PostgreSQL: `python -m benchmarks.mem0`.

Installs mem0 in its own environment (kept for the next run with --environment) and runs it as a
process. Both get the same memories with the same vectors, a hundred for each user, and the same
questions for the same users, in turns. Nothing is embedded while the time is taken. In Ebb each
user has a space; mem0 keeps all memories in one table and filters by user.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg

from benchmarks import harness
from benchmarks.spaces import without_vector_index

MEM0 = "mem0ai==2.2.1"
SIZES = (1_000, 10_000, 100_000)
A_USER = 100
"""Memories of each user."""
LIMIT = 10
_STORE, _WHOLE = "mem0, its vector store alone", "mem0, its whole search"
_AGAIN = "mem0, its vector store again (noise)"
_BARE = (
    "SELECT memory_id FROM memory_memoryembedding WHERE space_id = %s AND embedder_id = %s"
    f" ORDER BY vector <=> %s::halfvec LIMIT {LIMIT}"
)

Answer = tuple[float, list[str]]  # ms, ids


class Mem0:
    """The mem0 process, which answers one request at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def tell(self, do: str, **request: Any) -> None:
        """Send a request without an answer; the process works on while this one continues."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **request}) + "\n")
        self._process.stdin.flush()

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """Send a request and return its answer."""
        self.tell(do, **request)
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


def installed(folder: Path) -> Path:
    """Return the Python of an environment with mem0 and our psycopg; create the environment if
    needed."""
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"Installing {MEM0} in {folder}", flush=True)
        venv.create(folder, with_pip=True)
        driver = f"psycopg[binary,pool]=={version('psycopg')}"
        subprocess.run([python, "-m", "pip", "install", "-q", MEM0, driver], check=True)
    return python


@contextmanager
def running(python: Path, folder: Path, dimensions: int) -> Iterator[Mem0]:
    """Run mem0 on Ebb's database, with its own files in the folder."""
    from django.conf import settings

    history = str(folder / "mem0-history.db")
    runner = Path(__file__).with_name("mem0_runner.py")
    process = subprocess.Popen(
        # -P: beside the runner lies this file, which is not the mem0 that it imports.
        [python, "-P", runner, settings.DATABASE_URL, history, str(dimensions)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "mem0")},
    )
    mem0 = Mem0(process)
    try:
        mem0.ask("stored")  # by then its table is there, whose index `grow` takes away
        yield mem0
    finally:
        process.terminate()
        process.wait()


@dataclass(frozen=True)
class Both:
    """Ebb and mem0 with the same users."""

    mem0: Mem0
    embedder: Any
    now: datetime
    spaces: list[Any]

    def grow(self, size: int) -> None:
        """Add users until there are this many memories."""
        from benchmarks.corpus import blended
        from foundation.actors import SYSTEM
        from memory.spaces.services import create_space

        names = [f"user-{number}" for number in range(len(self.spaces), size // A_USER)]
        spaces = [
            create_space(slug=name, name=name, embedder=self.embedder, actor=SYSTEM)
            for name in names
        ]
        texts, vectors = blended(spaces[0], len(spaces) * A_USER, seed=size)
        random = Random(size)
        with without_vector_index():  # mem0's neither
            for number, space in enumerate(spaces):
                part = slice(number * A_USER, (number + 1) * A_USER)
                self._remember(space, texts[part], vectors[part], random)
            self.spaces.extend(spaces)
            assert self.mem0.ask("stored") == {"count": len(self.spaces) * A_USER}

    def _remember(
        self, space: Any, texts: Sequence[str], vectors: npt.NDArray[np.float32], random: Random
    ) -> None:
        from foundation.actors import SYSTEM
        from memory.drafts import MemoryDraft
        from memory.models.policies import current_policy
        from memory.store.services import Prepared, store_memories
        from memory.text.passages import passages

        moments = [self.now - timedelta(days=random.uniform(0, 365)) for _ in texts]
        drafts = [
            MemoryDraft(content=text, created_at=moment)
            for text, moment in zip(texts, moments, strict=True)
        ]
        prepared = Prepared(
            space,
            drafts,
            passages(drafts, self.now),
            {space.embedder_id: vectors[:, None]},
            current_policy(space),
        )
        stored = store_memories(prepared=prepared, actor=SYSTEM, now=self.now)
        self.mem0.tell(
            "insert",
            user=space.slug,
            ids=[str(memory.pk) for memory in stored],
            texts=texts,
            vectors=vectors.tolist(),
            created_at=[moment.isoformat() for moment in moments],
        )


@dataclass(frozen=True)
class Questions:
    """The question and the user of each turn, the same for all sides."""

    both: Both
    texts: Sequence[str]
    vectors: npt.NDArray[np.float32]

    def space(self, turn: int) -> Any:
        """Return the space of the turn's user."""
        return Random(turn).choice(self.both.spaces)

    def of_mem0(self, do: str) -> Callable[[int], Answer]:
        """Return mem0's answer to a turn."""

        def search(turn: int) -> Answer:
            question, user = self.texts[turn % len(self.texts)], self.space(turn).slug
            answer = self.both.mem0.ask(do, user=user, question=question, limit=LIMIT)
            return answer["ms"], answer["ids"]

        return search

    def of_ebb(self, profile: str) -> Callable[[int], Answer]:
        """Return Ebb's answer to a turn, as `recall()` works: the space's policy, then the
        statement."""
        from memory.formulas.ranking import PROFILES
        from memory.models.policies import current_policy
        from memory.recall.sql import Question, Shape, recalled

        def search(turn: int) -> Answer:
            number, space = turn % len(self.texts), self.space(turn)
            started = perf_counter()
            rules = current_policy(space).document
            shape = Shape(PROFILES[profile], rules.decay, rules.recall, rules.language, LIMIT)
            asked = Question(space, self.texts[number], self.vectors[number], self.both.now)
            found = recalled(asked, shape)
            ms = (perf_counter() - started) * 1000
            return ms, [str(memory.pk) for memory in found]

        return search

    def of_pgvector(self) -> Callable[[int], Answer]:
        """Return the exact answer to a turn, by similarity alone."""
        from django.db import connection
        from pgvector import HalfVector

        connection.ensure_connection()
        cursor = psycopg.Cursor(connection.connection)
        texts = [HalfVector(vector).to_text() for vector in self.vectors]

        def search(turn: int) -> Answer:
            space = self.space(turn)
            question = [space.pk, space.embedder_id, texts[turn % len(texts)]]
            started = perf_counter()
            found = cursor.execute(_BARE, question).fetchall()
            return (perf_counter() - started) * 1000, [str(id_) for [id_] in found]

        return search


def _compare(asked: Questions, rounds: int) -> list[harness.Row]:
    nearest, exact = asked.of_mem0("nearest"), "bare pgvector, exact"
    works = {
        _STORE: nearest,
        _WHOLE: asked.of_mem0("search"),
        "Ebb, recall with all signals": asked.of_ebb("hybrid"),
        "Ebb, recall by similarity alone": asked.of_ebb("relevance"),
        exact: asked.of_pgvector(),
        _AGAIN: nearest,
    }
    by_similarity = {_STORE, "Ebb, recall by similarity alone", exact, _AGAIN}
    taken = _in_turns(works, rounds)
    times = {name: [ms for ms, _ in answers] for name, answers in taken.items()}
    return [
        harness.compared(name, times[name], times[_STORE])
        | {"beside its whole search": _paired_ratio(times[name], times[_WHOLE])}
        | {"results": _mean(len(ids) for _, ids in answers)}
        | {"of the exact ten": _right(answers, taken[exact]) if name in by_similarity else "–"}
        for name, answers in taken.items()
    ]


def _paired_ratio(values: Sequence[float], base: Sequence[float]) -> float:
    return round(statistics.median(a / b for a, b in zip(values, base, strict=True)), 2)


def _in_turns(
    works: Mapping[str, Callable[[int], Answer]], rounds: int, warm_up: int = 20
) -> dict[str, list[Answer]]:
    """Work as harness.in_turns, with the times that the sides measured themselves."""
    taken: dict[str, list[Answer]] = {name: [] for name in works}
    for turn in range(-warm_up, rounds):
        for name in list(works) if turn % 2 else list(works)[::-1]:
            answer = works[name](turn)
            if turn >= 0:
                taken[name].append(answer)
    return taken


def _right(answers: Sequence[Answer], exact: Sequence[Answer]) -> float:
    pairs = zip(answers, exact, strict=True)
    return _mean(len(set(ids) & set(right)) for (_, ids), (_, right) in pairs)


def _mean(counts: Iterator[int]) -> float:
    return round(statistics.fmean(counts), 2)


def measure(python: Path, folder: Path, sizes: Sequence[int], rounds: int) -> None:
    """Fill both to each size in turn and measure."""
    from django.utils import timezone

    from accounts.models import Embedder
    from benchmarks.corpus import questions
    from memory.embeddings.vectors import embed

    embedder, report = Embedder.objects.get(), harness.Report("mem0")
    texts = questions(50, seed=3)
    with running(python, folder, embedder.dimensions) as mem0:
        both = Both(mem0, embedder, timezone.now(), [])
        for size in sizes:
            both.grow(size)
            harness.vacuum()
            vectors = embed(both.spaces[0].embedder, texts)
            mem0.tell("questions", vectors=dict(zip(texts, vectors.tolist(), strict=True)))
            title = f"{size:,} memories of {len(both.spaces):,} users"
            report.add(title, _compare(Questions(both, texts, vectors), rounds))
    report.save(rounds=rounds, limit=LIMIT, mem0=MEM0, dimensions=embedder.dimensions)


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Recall beside mem0")
    parser.add_argument("--environment", type=Path, help="where mem0 is or is to be installed")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mem0-") as temporary:
        python = installed((options.environment or Path(temporary)).resolve())
        with harness.own_ebb() as folder:
            measure(python, folder, options.sizes, options.rounds)


if __name__ == "__main__":
    main()
