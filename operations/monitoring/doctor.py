"""Examines the whole installation; `manage.py doctor` prints the findings. Changes nothing."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection
from django.utils import timezone

from foundation.database.leases import database_now
from memory.models import ModelConnection
from operations.database import libpq_url
from operations.monitoring.health import check_ready
from operations.monitoring.status import OK, check_status
from operations.postgres.distribution import (
    has_citus,
    missing_tables,
    number_of_nodes,
    silent_nodes,
)
from operations.preconditions import StartError, check_broker, check_database, check_embedding
from operations.version import VERSION

_CLOCK_TOLERANCE = timedelta(seconds=5)
_FREE_SPACE = 2**30  # bytes
_BUSY = 0.8  # share of the connections that PostgreSQL allows
_VECTOR_INDEXES = """
    SELECT coalesce(sum(pg_relation_size(index.oid)), 0)::bigint,
        pg_size_bytes(current_setting('shared_buffers'))
    FROM pg_class AS index JOIN pg_am ON pg_am.oid = index.relam WHERE pg_am.amname = 'hnsw'
"""
_LARGE = 4 * 2**30  # bytes: a million memories
_ARCHIVE = """
    SELECT pg_database_size(current_database()), current_setting('archive_mode') <> 'off',
        coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)
    FROM pg_stat_archiver
"""
_IN_DATABASE = {"schema", "worker", "beat", "queue"}  # unknown without a database
_IN_TABLES = _IN_DATABASE - {"schema"}  # unknown before the first preparation

ADVICE = {
    "schema": "Run manage.py prepare with the newest version that has run on this database.",
    "static": "Run manage.py prepare on this host, with the same EBB_DATA_DIR as the web process.",
    "embedder": "Run manage.py prepare on this host. It creates the model's file in EBB_DATA_DIR.",
    "worker": "Start a worker: celery -A config worker. If one is running, look at its log.",
    "beat": "Start beat: celery -A config beat. One is enough.",
    "queue": "Start more workers. Look at the log of the workers.",
    "model": "Check OPENAI_BASE_URL and OPENAI_API_KEY, then restart all processes.",
}


@dataclass(frozen=True)
class Finding:
    """The state of one part in words; `advice` says what to do, "" if nothing is wrong."""

    part: str
    said: str
    advice: str = ""


def examine() -> Iterator[Finding]:
    """Yield a finding for each part, those first on which others depend. This takes seconds."""
    yield Finding("version", f"Ebb {VERSION}.")
    yield _folder()
    yield _disk()
    yield _refusal_of("settings", "The embedding variables are valid.", check_embedding)
    database = _refusal_of("database", "It answers, and its version is supported.", check_database)
    yield database
    if has_database := not database.advice:
        yield from (_pooler(), _connections(), _vector_indexes(), _archive(), _clock())
    unknown: set[str] = set() if has_database else _IN_DATABASE
    ready = check_ready()
    yield from (
        _state(part, ready[part])
        for part in ("schema", "static", "embedder")
        if part not in unknown
    )
    if has_database:
        yield _distribution()
    yield _refusal_of("queue's address", "The queue's server answers.", check_broker)
    status = check_status(has_database=has_database)
    if status.queue is None:
        unknown |= _IN_TABLES
    yield from (_state(part, state) for part, state in status.parts.items() if part not in unknown)
    if status.queue is not None:
        yield _model_connections()


def _state(part: str, state: str) -> Finding:
    return Finding(part, "It works.") if state == OK else Finding(part, state, ADVICE[part])


def _refusal_of(part: str, well: str, check: Callable[[], None]) -> Finding:
    """Return the finding of a check that raises StartError, whose text says what is wrong."""
    try:
        check()
    except StartError as error:
        starts = part == "database" and settings.EBB_EMBEDDED_POSTGRES
        advice = (
            "Start `make up` first." if starts else "Fix this first; other checks depend on it."
        )
        return Finding(part, str(error), advice)
    return Finding(part, well)


def _folder() -> Finding:
    folder = settings.EBB_DATA_DIR
    if not folder.is_dir():
        return Finding("data folder", f"{folder} is missing.", "Run manage.py prepare.")
    open_to_others = [
        path
        for path in (folder, folder / "secret_key")
        if path.exists() and path.stat().st_mode & 0o066
    ]
    if open_to_others:
        names = " ".join(map(str, open_to_others))
        return Finding(
            "data folder", f"Other users of this host can read {names}.", f"chmod go-rw {names}"
        )
    return Finding("data folder", f"{folder} is closed to other users.")


def _disk() -> Finding:
    places = (settings.EBB_DATA_DIR, *settings.EBB_DATA_DIR.parents)
    folder = next(place for place in places if place.exists())
    free = shutil.disk_usage(folder).free
    said = f"{free / 2**30:.1f} GiB are free at {folder}."
    return Finding("disk", said, "" if free >= _FREE_SPACE else "Free at least 1 GiB.")


def _pooler() -> Finding:
    """Return whether a pooler shares connections: a second session then gets the server process of
    the first one, although that is still open."""
    address = libpq_url(settings.DATABASE_URL)
    try:
        with (
            psycopg.connect(address, autocommit=True) as first,
            psycopg.connect(address, autocommit=True) as second,
        ):
            is_shared = _process(first) == _process(second)
    except psycopg.OperationalError as error:
        return Finding("pooler", f"A second session failed: {error}", "Raise max_connections.")
    if is_shared and not settings.EBB_SHARED_CONNECTIONS:
        return Finding(
            "pooler",
            "A pooler shares connections between sessions, and DATABASE_URL does not say so.",
            "Add ?disable_server_side_cursors=True to DATABASE_URL (docs/deployment.md).",
        )
    said = (
        "A pooler may share connections." if is_shared else "Each session has its own connection."
    )
    return Finding("pooler", said)


def _process(session: psycopg.Connection[Any]) -> int:
    """Return the number of the server process that answers this session."""
    [number] = session.execute("SELECT pg_backend_pid()").fetchone() or [0]
    return int(number)


def _connections() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(numbackends)::integer, current_setting('max_connections')::integer"
            " FROM pg_stat_database"
        )
        used, allowed = cursor.fetchone()
    said = f"{used} of {allowed} connections are in use."
    crowded = used > allowed * _BUSY
    advice = "Raise max_connections, lower EBB_DB_POOL, or use a pooler." if crowded else ""
    return Finding("connections", said, advice)


def _vector_indexes() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute(_VECTOR_INDEXES)
        return vector_indexes(*cursor.fetchone())


def vector_indexes(size: int, shared_buffers: int) -> Finding:
    """Return whether the vector indexes fit in PostgreSQL's cache. If not, saving a memory takes
    three times as long (docs/scale.md).
    """
    said = f"Vector indexes take {size / 2**20:.0f} MB of {shared_buffers / 2**20:.0f} MB of cache."
    if size <= shared_buffers:
        return Finding("vector indexes", said)
    advice = f"Set shared_buffers to {2 * size / 2**20:.0f}MB or more and restart PostgreSQL."
    return Finding("vector indexes", said, advice)


def _archive() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute(_ARCHIVE)
        return archive(*cursor.fetchone())


def archive(size: int, is_on: bool, fails: bool) -> Finding:
    """Return whether PostgreSQL archives its log. A large database needs this for backups that can
    be restored quickly (docs/transfer.md).
    """
    if fails:
        return Finding("archive", "PostgreSQL cannot archive its log.", "Look at PostgreSQL's log.")
    if is_on:
        return Finding("archive", "PostgreSQL archives its log.")
    said = f"PostgreSQL does not archive its log. The database has {size / 2**30:.1f} GiB."
    advice = "Back up with pgBackRest (docs/transfer.md)." if size > _LARGE else ""
    return Finding("archive", said, advice)


def _clock() -> Finding:
    ahead = timezone.now() - database_now()
    if abs(ahead) <= _CLOCK_TOLERANCE:
        return Finding("clock", "The clocks of this host and the database agree.")
    where = "ahead of" if ahead > timedelta() else "behind"
    said = f"This host is {abs(ahead).total_seconds():.0f} seconds {where} the database."
    return Finding("clock", said, "Synchronise the clocks of all hosts, for example with chrony.")


def _distribution() -> Finding:
    """Return whether Citus distributes the tables, and whether all its nodes answer."""
    if not has_citus():
        return Finding("distribution", "The database is one PostgreSQL.")
    if silent := silent_nodes():
        said = f"These nodes do not answer: {', '.join(silent)}."
        return Finding("distribution", said, "Start them. Their spaces get errors meanwhile.")
    if missing := missing_tables():
        said = f"These tables are not distributed: {', '.join(missing)}."
        return Finding("distribution", said, "Stop Ebb and run manage.py distribute.")
    return Finding("distribution", f"Spaces are distributed over {number_of_nodes()} nodes.")


def _model_connections() -> Finding:
    failing = ModelConnection.objects.exclude(failure="").order_by("name")
    said = " ".join(f"{one.name}: {one.failure}" for one in failing)
    if not said:
        return Finding("model connections", "No connection has reported an error.")
    return Finding("model connections", said, "Test the connection in Settings → Models.")
