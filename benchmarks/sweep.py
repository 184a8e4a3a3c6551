"""Compares a sweep of a large space with the bare statements: `python -m benchmarks.sweep`.

The sweep removes a tenth of the space, by lifetime or by capacity. The bare statements update and
record the same number of rows, whose ids are given; the sweep also finds the memories, with their
rank and importance at that moment. Each run is rolled back and the table vacuumed, so that all runs
find the same rows; the commit is in neither time. The memories have no vectors, which a sweep does
not touch.
"""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Any

import psutil

from benchmarks import harness

SHARE = 10  # one in so many goes
_SAMPLE_SECONDS = 0.02

_FILL = """
    INSERT INTO memory_memory (id, space_id, short_id, content, memory_type, tags, topics,
        importance, core, pinned, status, created_at, use_count, clock_started_at, expires_at,
        revision, source_role, source_speaker, source_conversation, bin_reason, search)
    SELECT md5(n::text)::uuid, %(space)s, lpad(to_hex(n), 8, '0'), said, 'fact', '{}', '{}',
        random(), false, false, 'live', %(now)s - random() * interval '30 days', 0, %(now)s,
        CASE WHEN n %% %(share)s = 0 THEN %(now)s::timestamptz + interval '1 day' END,
        1, 'user', '', '', '', to_tsvector('english', said)
    FROM generate_series(1, %(count)s) n,
        LATERAL (SELECT 'On day ' || n || ' the keeper of lighthouse ' || md5(n::text) ||
            ' said that he likes pizza and hopes for rain' AS said) AS words
"""
_GOING = "CREATE TEMP TABLE going AS SELECT id FROM memory_memory WHERE expires_at IS NOT NULL"
_UPDATE = """
    UPDATE memory_memory m
    SET status = 'binned', binned_at = %(now)s, bin_reason = 'expired', importance_then = importance
    FROM going WHERE m.id = going.id AND m.space_id = %(space)s
"""
_INSERT = """
    INSERT INTO memory_memoryevent (space_id, memory_id, at, action, actor_type, actor_name, reason,
        content, importance, current_importance, rank, policy_version)
    SELECT space_id, m.id, %(now)s, 'expired', 'system', 'ebb', 'expired', content, importance,
        importance, NULL, 1
    FROM memory_memory m JOIN going ON m.id = going.id WHERE m.space_id = %(space)s
"""


def measure(count: int, rounds: int) -> None:
    """Fill a space, measure both ways in turns and save the tables."""
    from django.db import connection
    from django.utils import timezone

    from accounts.models import Embedder
    from foundation.actors import SYSTEM
    from memory.spaces.services import create_space

    now, report = timezone.now(), harness.Report("sweep")
    space = create_space(slug="bench", name="bench", embedder=Embedder.objects.get(), actor=SYSTEM)
    values: dict[str, Any] = {"space": space.pk, "now": now, "count": count, "share": SHARE}
    with connection.cursor() as cursor:
        cursor.execute(_FILL, values)
        cursor.execute(_GOING)
    works = _works(space, count, now)
    taken: dict[str, list[float]] = {name: [] for name in works}
    most = dict.fromkeys(works, 0.0)
    for turn in range(rounds):
        for name in list(works) if turn % 2 else list(works)[::-1]:
            harness.vacuum()
            with _watched() as seen:
                taken[name].append(works[name]())
            most[name] = max(most[name], round(seen["peak"] - seen["before"], 1))
    bare = taken["bare UPDATE + INSERT"]
    rows = [harness.compared(name, ms, bare) for name, ms in taken.items()]
    report.add(f"{count:,} memories, {count // SHARE:,} of them go", rows)
    grown = [{"what": name, "MB more at most": more} for name, more in most.items()]
    report.add("Memory of the process", grown)
    report.save(rounds=rounds, memories=count, share=SHARE)


def _works(space: Any, count: int, now: datetime) -> dict[str, Callable[[], float]]:
    later = now + timedelta(days=2)
    wide, narrow = 10 * count, count - count // SHARE
    return {
        "bare UPDATE + INSERT": lambda: _bare(space, later),
        "sweep, lifetimes over": lambda: swept(space, later, wide, count // SHARE),
        "sweep, over capacity": lambda: swept(space, now, narrow, count // SHARE),
        "bare again (noise)": lambda: _bare(space, later),
        "sweep, nothing to do": lambda: swept(space, now, wide, 0),
    }


def _bare(space: Any, now: datetime) -> float:
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        values = {"space": space.pk, "now": now}
        ms = harness.timed(lambda: [cursor.execute(one, values) for one in (_UPDATE, _INSERT)])
        transaction.set_rollback(True)
    return ms


def swept(space: Any, now: datetime, capacity: int, expected: int) -> float:
    """Return the ms of a sweep under a policy of this capacity, and roll both back. Fails unless
    as many memories go as expected."""
    from django.db import transaction

    from foundation.actors import SYSTEM
    from memory.policies.services import change_policy
    from memory.retention.sweep import sweep

    with transaction.atomic():
        changes = {"capacity": capacity, "grace_hours": 0}
        change_policy(space=space, changes=changes, actor=SYSTEM, now=now)
        done = []
        ms = harness.timed(lambda: done.append(sweep(space=space, now=now)))
        assert done[0].expired + done[0].evicted == expected
        transaction.set_rollback(True)
    return ms


@contextmanager
def _watched() -> Iterator[dict[str, float]]:
    """Yield the memory of this process in MB, before and at most meanwhile."""
    process, done = psutil.Process(), Event()
    seen = {"before": _megabytes(process)}
    seen["peak"] = seen["before"]

    def watch() -> None:
        while not done.wait(_SAMPLE_SECONDS):
            seen["peak"] = max(seen["peak"], _megabytes(process))

    watcher = Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


def _megabytes(process: psutil.Process) -> float:
    return round(float(process.memory_info().rss) / 2**20, 1)


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="A sweep beside the bare statements")
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with harness.own_ebb():
        measure(options.memories, options.rounds)


if __name__ == "__main__":
    main()
