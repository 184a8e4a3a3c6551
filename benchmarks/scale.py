"""Measures a space of 1,000,000 memories: `python -m benchmarks.scale`. With `--keep FOLDER` the
database is kept there, and the next run adds only what it lacks.

2,000 memories are saved by Ebb. The others are copies with texts and blended vectors of their own
(benchmarks.copies), because embedding a million texts takes two hours.
"""

import argparse
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks import copies, harness, spaces
from benchmarks.recall import LIMIT, Statement, bare_search

SIZE = 1_000_000
ASKED = 20  # questions with an exact answer, which takes seconds each
BATCH = 1_000
SWEPT = 10_000
PAGES = ("overview", "memories", "lifetimes", "lifetimes_capacity", "bin", "bin_history", "review")
_TABLES = ("memory_memory", "memory_memoryembedding", "memory_memoryevent")


def measure(folder: Path, size: int, rounds: int) -> None:
    """Fill the space if needed, measure everything and save the tables."""
    from django.utils import timezone

    now, report = timezone.now(), harness.Report("scale")
    space = _filled(size, now, report)
    report.add("Bytes per memory", _bytes(size))
    report.add("Recall", _recall(space, now, rounds))
    report.add("Writes", _writes(space, now, rounds))
    report.add("Sweep", _sweeps(space, size, now))
    report.add("Pages and metrics", _pages(folder, space, max(rounds // 10, 3)))
    report.save(memories=size, rounds=rounds, limit=LIMIT, dimensions=384)


def _filled(size: int, now: datetime, report: harness.Report) -> Any:
    """Return the space, after creating it if needed, or adding what it lacks."""
    from accounts.members.services import add_member
    from accounts.models import Role, Space, User
    from benchmarks.lived_in import furnish
    from foundation.actors import SYSTEM
    from memory.models import Memory

    space = Space.objects.filter(slug="bench").first()
    if space is None:
        space = spaces.filled("bench", copies.PATTERNS, now)
        furnish(space, size, now)
        add_member(space=space, user=User.objects.get(), role=Role.OWNER, actor=SYSTEM, now=now)
    first = Memory.objects.in_space(space).live().count()
    if first < size - BATCH:
        started = perf_counter()
        with spaces.without_vector_index():
            copies.add_copies(space, first, size, now)
            copied = perf_counter()
        seconds = {"rows": copied - started, "vector index": perf_counter() - copied}
        rows = [{"what": name, "seconds": round(taken)} for name, taken in seconds.items()]
        report.add(f"Adding {size - first:,} memories", rows)
        harness.vacuum()
    return space


def _bytes(size: int) -> list[harness.Row]:
    """Return the size of each table without indexes, and of each of its indexes of 1% or more."""
    from foundation.database.sql import fetch

    rows = [
        (name, "rows", fetch("SELECT pg_table_size(%(name)s)", {"name": name})[0][0])
        for name in _TABLES
    ]
    for name in _TABLES:
        rows += [
            (name, index, taken)
            for index, taken in fetch(
                "SELECT indexrelid::regclass::text, pg_relation_size(indexrelid) FROM pg_index"
                " WHERE indrelid = %(name)s::regclass ORDER BY 2 DESC",
                {"name": name},
            )
        ]
    total = sum(taken for _, _, taken in rows)
    shown = [row for row in rows if row[2] * 100 >= total]
    return [
        {"table": table, "what": what, "bytes per memory": round(taken / size)}
        for table, what, taken in [*shown, ("all", "all", total)]
    ]


def _recall(space: Any, now: datetime, rounds: int) -> list[harness.Row]:
    from benchmarks.corpus import questions
    from memory.embeddings.vectors import embed
    from memory.recall.recall import SearchRequest, recall

    asked = questions(50, seed=3)
    vectors = embed(space.embedder, asked)
    statement = Statement(space, asked, vectors, now)
    few = Statement(space, asked[:ASKED], vectors[:ASKED], now)
    bare = bare_search(space, vectors, by_index=True)
    works: dict[str, Callable[[int], object]] = {
        "bare HNSW": bare,
        "recall without embedding": statement.search,
        "recall with policy and embedding": lambda turn: recall(
            space, SearchRequest(asked[turn % len(asked)], limit=LIMIT), now=now
        ),
        "bare HNSW again (noise)": bare,
    }
    taken = harness.in_turns(works, rounds=rounds)
    exact = harness.timed(lambda: bare_search(space, vectors)(0))
    rows = [harness.compared(name, ms, taken["bare HNSW"]) for name, ms in taken.items()]
    found = {"recall without embedding": few.recall_at_10()}
    return [
        *(row | {"recall@10": found.get(row["what"], "")} for row in rows),
        harness.compared("bare exact scan, once", [exact] * 2, [exact] * 2) | {"recall@10": ""},
    ]


def _writes(space: Any, now: datetime, rounds: int) -> list[harness.Row]:
    """Return the time to save one memory and a batch; their vectors are made before."""
    from benchmarks.batch_write import prepared
    from benchmarks.corpus import blended
    from foundation.actors import SYSTEM
    from memory.store.services import store_memories

    batches = 3
    texts, vectors = blended(space, rounds + batches * BATCH, seed=99)
    rows: list[harness.Row] = []
    for name, count, first, times in (
        ("one memory", 1, 0, rounds),
        (f"{BATCH:,} at once", BATCH, rounds, batches),
    ):
        parts = [slice(first + n * count, first + (n + 1) * count) for n in range(times)]
        drafts = [prepared(space, texts[part], vectors[part], now, 0) for part in parts]
        ms = [
            harness.timed(partial(store_memories, prepared=one, actor=SYSTEM, now=now))
            for one in drafts
        ]
        median = harness.percentile(ms, 50)
        rows.append(
            {
                "what": name,
                "median ms": round(median, 1),
                "p95 ms": round(harness.percentile(ms, 95), 1),
                "memories/s": round(1000 * count / median),
            }
        )
    return rows


def _sweeps(space: Any, size: int, now: datetime) -> list[harness.Row]:
    """Return the times of a sweep with nothing to do, and of one that evicts; both rolled back."""
    from benchmarks.sweep import swept
    from memory.models import Memory

    live = Memory.objects.in_space(space).live().count()
    return [
        {"what": name, "seconds": round(swept(space, now, capacity, going) / 1000, 2)}
        for name, capacity, going in (
            ("nothing to do", 2 * size, 0),
            (f"{SWEPT:,} over capacity", live - SWEPT, SWEPT),
        )
    ]


def _pages(folder: Path, space: Any, rounds: int) -> list[harness.Row]:
    from django.conf import settings
    from django.test import Client
    from django.urls import reverse

    from accounts.models import User
    from benchmarks.pages import Browser

    # Imported late: it needs settings, as everything of Django's.
    from tests.processes import running_processes

    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get())
    urls = {name: reverse(name, args=[space.slug]) for name in PAGES}
    urls |= {"/metrics": "/metrics"}
    with running_processes(settings.DATABASE_URL, folder) as started:
        browser = Browser(started.web().url, client.cookies["sessionid"].value)
        works = {name: lambda turn, url=url: browser.get(url) for name, url in urls.items()}
        taken = harness.in_turns(works, rounds=rounds, warm_up=2)
    return [
        {
            "page": name,
            "median ms": round(harness.percentile(ms, 50), 1),
            "p95 ms": round(harness.percentile(ms, 95), 1),
        }
        for name, ms in taken.items()
    ]


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="One space of 1,000,000 memories")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--memories", type=int, default=SIZE)
    parser.add_argument("--keep", type=Path, help="the folder in which the database stays")
    options = parser.parse_args()
    with harness.own_ebb(options.keep) as folder:
        measure(folder, options.memories, options.rounds)


if __name__ == "__main__":
    main()
