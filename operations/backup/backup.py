"""Backup and restore of the whole installation, by pg_dump and pg_restore.

A backup is one file (operations.backup.file) with the secret key, if Ebb keeps it, and the database
without the queue, whose work is also in the tables. Everything else in the data folder is created
again.

A forged dump can contain any SQL. So pg_restore logs in as Ebb's own user, who may own Ebb's tables
and nothing else. Ebb's processes are this user too: whatever such a dump leaves in the database
never runs with other rights.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
from django.apps import apps
from django.conf import settings
from django.db.migrations.loader import MigrationLoader

from operations.backup import file as backup_file
from operations.backup.encryption import Locked, decrypt, encrypt
from operations.backup.file import NoBackup
from operations.database import libpq_url
from operations.local_files import database_url, private_folder
from operations.postgres import backup_tables
from operations.postgres.embedded import EmbeddedPostgres
from operations.postgres.tools import ToolError, run_tool
from operations.preconditions import StartError, check_database
from operations.startup.preparation import one_at_a_time
from operations.startup.run_file import RunFile

_ALIVE = timedelta(minutes=1)  # a worker records a heartbeat every ten seconds
# Tables that a backup leaves out: a stolen backup must open no session, and no worker has reported
# to a restored database.
_LEFT_OUT = (
    "django_session", "usersessions_usersession", "ebb_cache", "memory_workerheartbeat",
)  # fmt: skip
# What is restored. Triggers, rules, policies and views are an operator's own: the functions that
# they call are not in the backup.
_RESTORED = tuple(
    f"{kind} public "
    for kind in (
        *("TABLE", "TABLE DATA", "DEFAULT", "CONSTRAINT", "FK CONSTRAINT", "INDEX"),
        *("SEQUENCE", "SEQUENCE OWNED BY", "SEQUENCE SET"),
    )
)
# With PostgreSQL's own 64 MB, building the vector indexes takes twice as long.
_MEMORY = "-c maintenance_work_mem=512MB"
_JOBS = max(2, min(os.cpu_count() or 1, 8))


class BackupError(Exception):
    """The backup or restore is not possible; the text says why and what to do.

    Nothing was changed.
    """


def back_up(file: Path, *, recipients: Sequence[str] = ()) -> None:
    """Write the whole installation to a file. Ebb may be running.

    The file is encrypted for the recipients, otherwise with EBB_BACKUP_PASSPHRASE if set. Raises
    BackupError.
    """
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    is_encrypted = bool(recipients or settings.EBB_BACKUP_PASSPHRASE)
    with _explained(file), _database() as (url, _), _folder() as folder, ExitStack() as stack:
        draft.touch(mode=0o600, exist_ok=False)
        stack.callback(draft.unlink, missing_ok=True)
        dump, plain = folder / "dump", folder / "plain" if is_encrypted else draft
        run_tool(url, "pg_dump", f"--file={dump}", *_dump_options())
        backup_file.write(plain, key=settings.EBB_DATA_DIR / backup_file.KEY, dump=dump)
        if is_encrypted:
            dump.unlink()
            encrypt(plain, draft, recipients=recipients, secret=settings.EBB_BACKUP_PASSPHRASE)
        draft.replace(file)


def _dump_options() -> list[str]:
    """Return options for Ebb's tables, without Citus: a backup of a cluster can be restored into
    one PostgreSQL."""
    prefixes = sorted({model._meta.db_table.partition("_")[0] for model in apps.get_models()})
    return [
        *("--format=custom", "--compress=1"),
        *(f"--table=public.{name}_*" for name in prefixes),
        "--table=public.ebb_cache",
        *(f"--exclude-table-data=public.{name}" for name in _LEFT_OUT),
    ]


def restore(
    file: Path,
    *,
    identity: Path | None = None,
    replace: bool,
    even_if_running: bool,
    now: datetime,
    say: Callable[[str], None],
) -> None:
    """Replace the installation with a backup. The next `prepare` migrates an older schema.

    All or nothing. Raises BackupError if a newer Ebb made the backup, Ebb is running (unless
    `even_if_running`), or the database is not empty (unless `replace`).
    """
    with _explained(file), _folder() as folder:
        plain, key, dump = folder / "plain", folder / "key", folder / "dump"
        locked = decrypt(file, plain, secret=settings.EBB_BACKUP_PASSPHRASE, identity=identity)
        backup_file.read(plain if locked else file, key=key, dump=dump)
        plain.unlink(missing_ok=True)
        with _database() as (url, running), one_at_a_time(url):
            if not even_if_running:
                _refuse_running(url, running, now)
            chosen = _chosen(url, dump, say)
            backup_tables.put_back(url)
            _refuse_unfit(url, replace)
            say("PostgreSQL restores the tables and builds their indexes…")
            _replace_tables(url, dump, chosen)
            if key.exists():
                key.replace(settings.EBB_DATA_DIR / backup_file.KEY)


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    """Turn the error of a file, a tool or the database into a BackupError of one line."""
    try:
        yield
    except NoBackup as error:
        raise BackupError(f"{file} is not a backup of Ebb. {error}") from None
    except (ToolError, Locked, psycopg.Error) as error:
        raise BackupError(" ".join(str(error).split())) from None


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield a new folder on the data folder's disk, which only this user can read."""
    private_folder(settings.EBB_DATA_DIR)
    with tempfile.TemporaryDirectory(prefix="backup-", dir=settings.EBB_DATA_DIR) as folder:
        yield Path(folder)


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


def _refuse_running(url: str, running: bool, now: datetime) -> None:
    if running:
        raise BackupError("Ebb is running on this database. Stop it first.")
    # An embedded database that was not running has no worker, whatever its heartbeats say.
    if not settings.EBB_EMBEDDED_POSTGRES and backup_tables.has_worker(url, since=now - _ALIVE):
        raise BackupError(
            "Ebb is running on this database: a worker has just reported. Stop it first; "
            "if it has stopped, try again in a minute."
        )


def _refuse_unfit(url: str, replace: bool) -> None:
    if backup_tables.is_powerful(url):
        raise BackupError(
            "The user in DATABASE_URL has rights in PostgreSQL that Ebb does not need and a forged "
            "backup could use: superuser, CREATEROLE, or access to files. Restore as a user who "
            "only owns Ebb's database (docs/deployment.md, Database)."
        )
    if not replace and backup_tables.has_tables(url):
        raise BackupError(
            "The database is not empty. To replace its content, add --replace "
            "(make restore FILE=… REPLACE=1)."
        )


def _chosen(url: str, dump: Path, say: Callable[[str], None]) -> Path:
    """Return a file that lists for pg_restore which entries of the dump it restores."""
    lines = run_tool(url, "pg_restore", "--list", "--format=custom", str(dump)).splitlines()
    entries = {line: line.split(" ", 3)[-1] for line in lines if line[:1] not in ("", ";")}
    kept = [line for line, entry in entries.items() if entry.startswith(_RESTORED)]
    for entry in entries.keys() - kept:
        say(f"Left out, because it is not Ebb's: {entries[entry]!r:.100}")
    chosen = dump.with_name("chosen")
    chosen.write_text("\n".join(kept))
    return chosen


def _replace_tables(url: str, dump: Path, chosen: Path) -> None:
    options = (
        "--format=custom",
        "--exit-on-error",
        "--no-owner",
        "--no-privileges",
        f"--jobs={_JOBS}",
    )
    backup_tables.set_aside(url)
    try:
        with backup_tables.unchanged_settings(url):
            run_tool(
                url, "pg_restore", "--dbname=", f"--use-list={chosen}", *options, str(dump),
                settings=_MEMORY,
            )  # fmt: skip
        _refuse_other_version(backup_tables.migrations(url))
        backup_tables.forget(url)
    finally:
        backup_tables.put_back(url)  # unless they are forgotten


def _refuse_other_version(migrations: list[str]) -> None:
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if "memory.0001_initial" not in migrations:
        raise NoBackup("It does not have Ebb's tables.")
    if unknown := [name for name in migrations if name not in known]:
        raise BackupError(
            f"The backup was made by a newer version of Ebb, with {unknown[0]!r:.100}, which this "
            "version does not know. Restore it with that version or a later one."
        )
