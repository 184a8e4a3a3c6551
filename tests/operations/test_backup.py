"""Backup and restore of the whole installation, from one database into another."""

from pathlib import Path

import psycopg
import pytest
from allauth.usersessions.models import UserSession
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space, User
from memory.jobs.workers import record_heartbeat
from operations.backup.backup import BackupError, back_up, restore
from operations.postgres import backup_tables
from operations.postgres.tools import ToolError, run_tool
from operations.preconditions import StartError
from tests.memory.writing import remember
from tests.operations.backups import (
    backup,
    database,
    dump_of,
    groups,
    ordinary,
    restored,
    run,
    with_dump,
)
from tests.processes import held_port, test_database_url

__all__ = ["backup", "database", "ordinary"]  # fixtures

BOTH = ["new", "old"]


WHOLE = (
    "SELECT * FROM memory_memory ORDER BY id",
    "SELECT * FROM memory_memoryembedding ORDER BY id",
    # Not those of the queue, which is in no backup.
    "SELECT conname, contype FROM pg_constraint WHERE connamespace = 'public'::regnamespace"
    " ORDER BY 1, 2",
    "SELECT indexname FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
)


def content(url: str, *queries: str) -> list[list[tuple[object, ...]]]:
    with psycopg.connect(url) as session:
        return [session.execute(query.encode()).fetchall() for query in queries]


@pytest.mark.django_db(transaction=True)
def test_what_was_backed_up_is_restored_whole_but_for_sessions(
    space: Space, alice: User, ordinary: str, settings: Settings, tmp_path: Path
) -> None:
    source, file, now = test_database_url(), tmp_path / "ebb.backup", timezone.now()
    settings.DATABASE_URL = source
    remember(space, "User likes pizza")
    record_heartbeat(queue="ebb", now=now)
    UserSession.objects.create(session_key="a" * 32, user=alice, ip="127.0.0.1")
    back_up(file)
    with pytest.raises(BackupError, match="a worker has just reported"):
        restore(file, replace=True, even_if_running=False, now=now, say=print)
    with pytest.raises(BackupError, match="superuser"):
        restored(file)
    settings.DATABASE_URL = ordinary

    restored(file)

    assert content(source, *WHOLE) == content(ordinary, *WHOLE)
    assert content(ordinary, "SELECT 1 FROM memory_memory") == [[(1,)]]
    assert content(ordinary, "SELECT 1 FROM memory_workerheartbeat") == [[]]
    assert content(ordinary, "SELECT 1 FROM usersessions_usersession") == [[]]


@pytest.mark.django_db
def test_a_backup_replaces_content_only_if_told_so(backup: Path, settings: Settings) -> None:
    with pytest.raises(BackupError, match="not empty"):
        restored(backup, replace=False)
    assert groups(settings.DATABASE_URL) == BOTH

    restored(backup)

    assert groups(settings.DATABASE_URL) == ["old"]
    assert (settings.EBB_DATA_DIR / "secret_key").read_text() == "first"
    assert [path.name for path in settings.EBB_DATA_DIR.iterdir()] == ["secret_key"]


@pytest.mark.django_db
def test_what_is_no_backup_changes_nothing(backup: Path, database: str, settings: Settings) -> None:
    dump, file = dump_of(backup), backup.with_name("broken.backup")
    for broken in (b"", b"no backup" * 1000, backup.read_bytes()[:20_000]):
        file.write_bytes(broken)
        with pytest.raises(BackupError, match=r"^\S+ is not a backup of Ebb. .+$"):
            restored(file)
    for broken in (b"PGDMP" + bytes(100), dump[: len(dump) * 2 // 3], dump[:-30_000]):
        with pytest.raises(BackupError, match=r"^pg_restore: .+$"):
            restored(with_dump(backup, broken))

    assert groups(database) == BOTH
    assert (settings.EBB_DATA_DIR / "secret_key").read_text() == "second"
    with psycopg.connect(database) as session:
        assert session.execute("SELECT to_regnamespace('ebb_before_restore')").fetchone() == (None,)


@pytest.mark.django_db
def test_a_backup_of_a_newer_ebb_is_refused(backup: Path, database: str) -> None:
    run("INSERT INTO django_migrations (app, name, applied) VALUES ('chat', '0099_x', now())",
        database)  # fmt: skip
    back_up(backup)
    run("DELETE FROM django_migrations WHERE name = '0099_x'", database)
    with pytest.raises(BackupError, match=r"newer version of Ebb.*chat.0099_x"):
        restored(backup)

    assert groups(database) == BOTH


@pytest.mark.django_db
def test_an_interrupted_restore_is_undone_by_the_next_one(backup: Path, database: str) -> None:
    backup_tables.set_aside(database)
    run("CREATE TABLE auth_group (half int)", database)

    with pytest.raises(BackupError, match="not empty"):
        restored(backup, replace=False)

    assert groups(database) == BOTH


@pytest.mark.django_db
def test_what_an_operator_added_is_left_out(backup: Path, database: str) -> None:
    run(
        """
            CREATE TABLE own (id int);
            CREATE FUNCTION own_f() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'owned'; END $$;
            CREATE TRIGGER own BEFORE UPDATE ON auth_group EXECUTE FUNCTION own_f();
            CREATE VIEW auth_view AS SELECT * FROM auth_group;
            CREATE POLICY own ON auth_group USING (true)
        """,
        database,
    )
    back_up(backup)
    run("DROP FUNCTION own_f CASCADE", database)

    said = restored(backup)

    left = "".join(line for line in said if line.startswith("Left out, because it is not Ebb's"))
    assert all(kind in left for kind in ("TRIGGER public", "VIEW public", "POLICY public"))
    assert groups(database) == BOTH
    with psycopg.connect(database) as session:
        names = session.execute("SELECT to_regclass('own'), to_regclass('auth_view')").fetchone()
    assert names == (None, None)


def test_a_database_that_is_away_is_named_in_one_line(settings: Settings, tmp_path: Path) -> None:
    with held_port() as port:
        settings.DATABASE_URL = f"postgresql://ebb@127.0.0.1:{port.getsockname()[1]}/ebb"
        with pytest.raises(StartError, match=r"^The database in DATABASE_URL does not answer.*$"):
            back_up(tmp_path / "ebb.backup")


@pytest.mark.django_db
def test_a_tool_that_is_missing_is_named_with_its_version() -> None:
    with pytest.raises(ToolError, match=r"newest pg_none here is missing. Install .* PostgreSQL 1"):
        run_tool(test_database_url(), "pg_none")
