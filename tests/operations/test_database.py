"""The addresses and settings of database connections, direct and behind a pooler."""

from pathlib import Path

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from psycopg.conninfo import conninfo_to_dict
from pytest_django import Settings

from operations.backup.backup import BackupError, back_up
from operations.broker import listen_address, queue_url
from operations.database import (
    SESSION,
    EbbConnection,
    connection_options,
    database_entry,
    libpq_url,
)
from operations.preconditions import StartError, check_database, check_queue
from operations.startup.preparation import LOCK, one_at_a_time
from tests.processes import test_database_url

SHARED = "disable_server_side_cursors=True"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("postgresql://e:p@h:5432/ebb", "postgresql://e:p@h:5432/ebb"),
        (f"postgresql://e:p@h/ebb?{SHARED}", "postgresql://e:p@h/ebb"),
        (
            f"postgresql://e:p@h/ebb?sslmode=require&{SHARED.upper()}&connect_timeout=3",
            "postgresql://e:p@h/ebb?sslmode=require&connect_timeout=3",
        ),
        (
            "postgresql://e:p%3F@/ebb?host=%2Ftmp%2Fa+b",
            "postgresql://e:p%3F@/ebb?host=%2Ftmp%2Fa+b",
        ),
        ("postgresql:///ebb?CONN_MAX_AGE=0", "postgresql:///ebb"),
    ],
)
def test_libpq_gets_the_address_without_the_options_of_django(address: str, expected: str) -> None:
    assert libpq_url(address) == expected
    conninfo_to_dict(libpq_url(address))  # libpq can read it


def test_the_queue_uses_the_database_unless_it_has_its_own_address() -> None:
    database = f"postgresql://e:p@pooler:6432/ebb?{SHARED}&sslmode=require"

    assert queue_url("pgmq://", database) == "postgresql://e:p@pooler:6432/ebb?sslmode=require"
    assert queue_url("pgmq://q:w@db:5432/ebb", database) == "postgresql://q:w@db:5432/ebb"
    with pytest.raises(ImproperlyConfigured, match="without options") as refusal:
        queue_url("pgmq://q:secret@db:5432/ebb?sslmode=require", database)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("broker", "shared", "address"),
    [
        ("pgmq://", False, "postgresql://e:p@db:5432/ebb"),
        ("pgmq://q:w@other:5432/ebb", False, "postgresql://e:p@db:5432/ebb"),
        ("redis://queue/0", False, "postgresql://e:p@db:5432/ebb"),
        # A pooler that shares connections passes no notifications on.
        ("pgmq://q:w@other:5432/ebb", True, "postgresql://q:w@other:5432/ebb"),
        ("pgmq://", True, ""),
        ("redis://queue/0", True, ""),
    ],
)
def test_web_processes_listen_at_postgresql_itself(broker: str, shared: bool, address: str) -> None:
    database = "postgresql://e:p@db:5432/ebb" + (f"?{SHARED}" if shared else "")

    assert listen_address(broker, database, shared=shared) == address


@pytest.mark.parametrize(("query", "connection_class"), [("", EbbConnection), (f"?{SHARED}", None)])
def test_session_settings_are_left_out_where_connections_are_shared(
    query: str, connection_class: type | None
) -> None:
    options = connection_options(database_entry(f"postgresql://e:p@h/ebb{query}"), most=7)

    assert "options" not in options
    assert options["pool"]["max_size"] == 7
    assert options["pool"].get("connection_class") is connection_class


def test_every_connection_of_the_pool_has_the_session_settings(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('plan_cache_mode'),"
            " current_setting('idle_in_transaction_session_timeout')"
        )
        assert cursor.fetchone() == ("force_generic_plan", "5min")


def test_on_citus_plans_know_the_values_and_shards_are_asked_in_turn(db: None) -> None:
    with connection.cursor() as cursor:
        # In the catalogue of this transaction only.
        cursor.execute("SET LOCAL allow_system_table_mods = on")
        cursor.execute(
            "INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable,"
            " extversion) SELECT 1, 'citus', extowner, extnamespace, false, '13.0'"
            " FROM pg_extension LIMIT 1"
        )
        cursor.execute(SESSION)
        cursor.execute(
            "SELECT current_setting('plan_cache_mode'),"
            " current_setting('citus.multi_shard_modify_mode')"
        )
        assert cursor.fetchone() == ("auto", "sequential")


def test_the_documented_address_for_a_pooler_passes_the_checks(
    db: None, settings: Settings
) -> None:
    mark = "&" if "?" in settings.DATABASE_URL else "?"
    settings.DATABASE_URL += f"{mark}{SHARED}"

    check_database()


@pytest.mark.parametrize(
    ("shared", "address", "refused"),
    [
        (True, "pgmq://", True),
        (True, "pgmq://ebb:secret@db:5432/ebb", False),
        (True, "redis://queue/0", False),
        (False, "pgmq://", False),
    ],
)
def test_a_queue_in_shared_connections_is_refused(
    settings: Settings, shared: bool, address: str, refused: bool
) -> None:
    settings.EBB_SHARED_CONNECTIONS, settings.CELERY_BROKER_URL = shared, address

    if refused:
        with pytest.raises(StartError, match="Set CELERY_BROKER_URL to redis"):
            check_queue()
    else:
        check_queue()


def test_a_backup_through_shared_connections_is_refused(settings: Settings, tmp_path: Path) -> None:
    settings.EBB_SHARED_CONNECTIONS = True

    with pytest.raises(BackupError, match="address of PostgreSQL itself"):
        back_up(tmp_path / "ebb.backup")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db(transaction=True)
def test_one_host_prepares_at_a_time_and_can_build_indexes_beside_writes(
    settings: Settings,
) -> None:
    settings.DATABASE_URL = test_database_url()
    with one_at_a_time(), psycopg.connect(settings.DATABASE_URL, autocommit=True) as other:
        other.execute("SET lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute(f"SELECT pg_advisory_lock({LOCK})")
        # It would wait for the lock's transaction, if that kept a snapshot.
        other.execute("SET statement_timeout = '60s'")
        other.execute("SET lock_timeout = '60s'")
        other.execute("CREATE INDEX CONCURRENTLY made_beside ON accounts_space (name)")
        other.execute("DROP INDEX made_beside")
