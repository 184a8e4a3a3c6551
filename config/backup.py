"""Backup and restore of the whole installation, by PostgreSQL's own tools.

A backup is one file (config.backup_file) with a manifest (Ebb's version, migrations, time), the
secret key, if Ebb keeps it, and the database in pg_dump's custom format, without the queue, whose
work is also in the tables. Everything else in the data folder is created again.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.conf import settings
from django.db.migrations.loader import MigrationLoader

from config import backup_file, dump_script
from config.backup_encryption import Keys, Locked, encrypted
from config.backup_file import Say
from config.database import libpq_url
from config.dump_script import ForeignSQL
from config.embedded_postgres import EmbeddedPostgres
from config.local_files import database_url, private_folder
from config.postgres_tools import Tool, ToolError
from config.preconditions import StartError, check_database
from config.run_file import RunFile
from config.version import VERSION

_ALIVE = timedelta(minutes=1)  # a worker records a heartbeat every ten seconds
# As pg_dump sets them: no search path, and no timeouts.
_SESSION = """
    SET LOCAL search_path = '';
    SET LOCAL client_encoding = 'UTF8';
    SET LOCAL standard_conforming_strings = on;
    SET LOCAL client_min_messages = warning;
    SET LOCAL row_security = off;
    SET LOCAL statement_timeout = 0;
    SET LOCAL lock_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0
"""
# Tables that a backup leaves out: a stolen backup must open no session, and no worker has reported
# to a restored database.
_LEFT_OUT = (
    "django_session", "usersessions_usersession", "ebb_cache", "memory_workerheartbeat",
)  # fmt: skip
# Part of the restore's transaction: if that fails, nothing is changed.
_DROP_TABLES = """
    DO $$ DECLARE t record; BEGIN
      FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('DROP TABLE public.%I CASCADE', t.tablename);
      END LOOP;
    END $$
"""


class BackupError(Exception):
    """The backup or restore is not possible; the text says why and what to do.

    Nothing was changed.
    """


def back_up(file: Path, *, recipients: Sequence[str] = (), now: datetime, say: Say) -> None:
    """Write the whole installation to a file. Ebb may be running.

    The file is encrypted for the recipients, otherwise with EBB_BACKUP_PASSPHRASE if set. Raises
    BackupError.
    """
    # Only Ebb's tables, since a restore accepts nothing else. Not Citus: a backup of a cluster can
    # be restored into one PostgreSQL.
    what = (*(f"--table=public.{name}_*" for name in _table_prefixes()), "--extension=vector")
    without = [f"--exclude-table-data=public.{name}" for name in _LEFT_OUT]
    options = ("--format=custom", "--no-owner", "--no-privileges", *what, *without)
    key = settings.EBB_DATA_DIR / backup_file.KEY
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    with _database() as (url, _running), _removed_at_end(draft):
        with _tools(), Tool(url, "pg_dump", *options) as dump, draft.open("xb") as target:
            draft.chmod(0o600)
            secret = settings.EBB_BACKUP_PASSPHRASE
            with encrypted(target, recipients=recipients, secret=secret) as content:
                backup_file.write(
                    content,
                    manifest=_manifest(url, now),
                    key=key.read_bytes() if key.exists() else None,
                    dump=dump.output,
                    say=say,
                )
            dump.finish()
        draft.replace(file)


def _table_prefixes() -> list[str]:
    return sorted({model._meta.db_table.partition("_")[0] for model in apps.get_models()})


@contextmanager
def _removed_at_end(draft: Path) -> Iterator[None]:
    try:
        yield
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _tools() -> Iterator[None]:
    """Turn the error of a tool, a dump or the database into a BackupError."""
    try:
        yield
    except (ToolError, ForeignSQL, Locked, psycopg.Error) as error:
        raise BackupError(str(error)) from None


def restore(
    file: Path,
    *,
    identity: Path | None = None,
    replace: bool,
    even_if_running: bool,
    now: datetime,
    say: Say,
) -> dict[str, Any]:
    """Replace the installation with a backup, and migrate it to this version's schema.

    All or nothing. Returns the manifest. Raises BackupError if a newer Ebb made the backup, Ebb is
    running (unless `even_if_running`), or the database is not empty (unless `replace`).
    """
    keys = Keys(settings.EBB_BACKUP_PASSPHRASE, identity)
    manifest, key = _read_manifest(file, keys)
    private_folder(settings.EBB_DATA_DIR)
    with _database() as (url, running):
        if not even_if_running:
            _refuse_running(url, running, now)
        if not replace and _has_tables(url):
            raise BackupError(
                "The database is not empty. To replace its content, add --replace "
                "(make restore FILE=… REPLACE=1)."
            )
        _restore_dump(url, backup_file.read_dump(file, keys, say=say), say)
        if key is not None:
            _keep_key(key)
        _prepare(url)
    return manifest


def _refuse_running(url: str, running: bool, now: datetime) -> None:
    if running:
        raise BackupError("Ebb is running on this database. Stop it first.")
    # An embedded database that was not running has no worker, whatever its heartbeats say.
    if not settings.EBB_EMBEDDED_POSTGRES and _has_worker(url, now):
        raise BackupError(
            "Ebb is running on this database: a worker has just reported. Stop it first; "
            "if it has stopped, try again in a minute."
        )


def _prepare(url: str) -> None:
    """Migrate an older schema in a separate process, which reads the settings again."""
    environment = os.environ | {"EBB_DEMO_DATA": "0"}
    if not settings.EBB_EMBEDDED_POSTGRES:
        environment["DATABASE_URL"] = url
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "prepare"]
    if subprocess.run(command, env=environment).returncode:  # noqa: S603 - our own command
        raise BackupError("The backup is restored, but could not be prepared: see above.")


def _manifest(url: str, now: datetime) -> dict[str, Any]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
    return {
        "format": backup_file.FORMAT,
        "version": backup_file.VERSION,
        "ebb": VERSION,
        "made_at": now.astimezone(UTC).isoformat(),
        "migrations": [f"{app}.{name}" for app, name in rows],
    }


def _read_manifest(file: Path, keys: Keys) -> tuple[dict[str, Any], bytes | None]:
    """Return the manifest and the secret key of a backup that this version can restore."""
    try:
        manifest, key = backup_file.read_manifest(file, keys)
    except Locked as error:
        raise BackupError(str(error)) from None
    except backup_file.NoBackup as error:
        raise BackupError(f"{file} is not a backup of Ebb{error}") from None
    _refuse_newer(manifest)
    return manifest, key


def _refuse_newer(manifest: dict[str, Any]) -> None:
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    newer = [str(name) for name in manifest.get("migrations", ()) if str(name) not in known]
    if manifest.get("version") not in {1, backup_file.VERSION} or newer:
        raise BackupError(
            f"The backup was made by a newer Ebb ({manifest.get('ebb')}) with "
            f"{', '.join(newer) or 'another backup format'}, which this version does not know. "
            "Restore it with that version or a later one."
        )


@contextmanager
def _database() -> Iterator[tuple[str, bool]]:
    """Yield the database's URL, and whether `make up` is running on it.

    Starts the embedded database for the duration of the block if it is not running. Raises
    BackupError if a pooler shares the connections: PostgreSQL's tools change settings of a session,
    which would then apply to other programs. Raises StartError if the database cannot be used.
    """
    if settings.EBB_SHARED_CONNECTIONS:
        raise BackupError(
            "DATABASE_URL leads to a pooler that shares connections. Run this command with the "
            "address of PostgreSQL itself: DATABASE_URL=postgresql://user:password@host:5432/name"
        )
    data_dir = settings.EBB_DATA_DIR
    if not settings.EBB_EMBEDDED_POSTGRES:
        check_database()
        yield libpq_url(settings.DATABASE_URL), False
        return
    run_file = RunFile(data_dir)
    try:
        run_file.acquire()
    except StartError:
        yield database_url(data_dir), True
        return
    postgres = EmbeddedPostgres(data_dir)
    try:
        postgres.start(give_up=lambda: False)
        yield database_url(data_dir), False
    finally:
        postgres.stop()
        run_file.release()


def _has_tables(url: str) -> bool:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public' LIMIT 1")
        return found.fetchone() is not None


def _has_worker(url: str, now: datetime) -> bool:
    """Return whether a worker on any host has recorded a recent heartbeat."""
    with psycopg.connect(url) as connection:
        [table] = connection.execute("SELECT to_regclass('memory_workerheartbeat')").fetchone() or [
            None
        ]
        if table is None:
            return False
        alive = "SELECT 1 FROM memory_workerheartbeat WHERE at > %s"
        return connection.execute(alive, [now - _ALIVE]).fetchone() is not None


def _restore_dump(url: str, blocks: Iterator[bytes], say: Say) -> None:
    """Replace all tables in one transaction, which ends only after the whole dump was read."""
    options = ("--no-owner", "--no-privileges", "--no-comments", "--file=-")
    with _tools(), psycopg.connect(url) as connection, Tool(url, "pg_restore", *options) as dump:
        dump.feed(blocks)
        connection.execute(_SESSION)
        connection.execute(_DROP_TABLES)
        dump_script.run(iter(dump.output), connection, say=say)
        dump.finish()


def _keep_key(key: bytes) -> None:
    kept = settings.EBB_DATA_DIR / backup_file.KEY
    kept.touch(mode=0o600)
    kept.write_bytes(key)
