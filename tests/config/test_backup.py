"""Backup and restore of the whole installation, from one database into another."""

import io
import json
import tarfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.utils import timezone
from pytest_django import Settings

from config import backup_file
from config.backup import BackupError, back_up, restore
from config.preconditions import StartError
from memory.jobs.workers import record_heartbeat
from memory.models import Space, WorkerHeartbeat
from tests.memory.writing import remember
from tests.processes import held_port, test_database_url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def made_at(db: None, settings: Settings) -> datetime:
    settings.DATABASE_URL = test_database_url()
    WorkerHeartbeat.objects.all().delete()  # of a worker that served tests before
    return timezone.now()


@pytest.fixture
def empty_database(made_at: datetime) -> Iterator[str]:
    """The address of another database of the same server."""
    here = test_database_url()
    with psycopg.connect(here, autocommit=True) as connection:
        connection.execute("CREATE DATABASE restored")
        yield urlsplit(here)._replace(path="/restored").geturl()
        connection.execute("DROP DATABASE restored WITH (FORCE)")


def changed(backup: Path, **manifest: object) -> Path:
    """The same backup with something else in its manifest."""
    other = backup.with_name("other.backup")
    with tarfile.open(backup) as old, tarfile.open(other, "w") as new:
        for part in old.getmembers():
            content = old.extractfile(part)
            assert content is not None
            data = content.read()
            if part.name == "manifest.json":
                data = json.dumps({**json.loads(data), **manifest}).encode()
            part.size = len(data)
            new.addfile(part, io.BytesIO(data))
    return other


def contents(url: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        memories = connection.execute("SELECT * FROM memory_memory ORDER BY id").fetchall()
        vectors = connection.execute("SELECT * FROM memory_memoryembedding ORDER BY id").fetchall()
        return [*memories, *vectors]


def test_what_was_backed_up_is_restored_whole(
    space: Space, made_at: datetime, empty_database: str, settings: Settings, tmp_path: Path
) -> None:
    remember(space, "User likes pizza")
    before, file = contents(test_database_url()), tmp_path / "ebb.backup"
    record_heartbeat(queue="ebb", now=made_at)
    back_up(file, now=made_at, say=print)
    remember(space, "User likes pasta")
    settings.DATABASE_URL = empty_database

    manifest = restore(file, replace=False, even_if_running=False, now=made_at, say=print)

    assert manifest["made_at"] == made_at.isoformat()
    assert contents(empty_database) == before
    with psycopg.connect(empty_database) as restored:
        assert restored.execute("SELECT FROM memory_workerheartbeat").fetchall() == []
    with pytest.raises(BackupError, match="not empty"):
        restore(file, replace=False, even_if_running=False, now=made_at, say=print)
    newer = changed(file, ebb="9.0", migrations=["memory.9999_from_the_future"])
    with pytest.raises(BackupError, match=r"newer Ebb \(9.0\).*memory.9999_from_the_future"):
        restore(newer, replace=True, even_if_running=False, now=made_at, say=print)
    other = changed(file, version=3, migrations={"memory": 9999})
    with pytest.raises(BackupError, match="newer Ebb"):
        restore(other, replace=True, even_if_running=False, now=made_at, say=print)
    assert contents(empty_database) == before
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []


@pytest.mark.long
def test_a_backup_of_many_parts_tells_its_progress(
    space: Space,
    made_at: datetime,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backup_file, "PART", 5000)
    remember(space, "User likes pizza")
    before, file, said = contents(test_database_url()), tmp_path / "ebb.backup", list[str]()

    back_up(file, now=made_at, say=said.append)
    remember(space, "User likes pasta")
    restore(file, replace=True, even_if_running=True, now=made_at, say=said.append)

    assert contents(test_database_url()) == before
    with tarfile.open(file) as archive:
        names = archive.getnames()
        size = sum(part.size for part in archive.getmembers() if "dump" in part.name) / 1e6
    assert len(names) > 10
    assert set(said) == {
        f"Saved {size:.1f} MB",
        f"Restored {size:.1f} of {size:.1f} MB",
        "PostgreSQL builds its indexes…",
    }


@pytest.mark.long
def test_a_backup_of_the_first_format_is_restored(
    space: Space, made_at: datetime, tmp_path: Path
) -> None:
    remember(space, "User likes pizza")
    before, file = contents(test_database_url()), tmp_path / "ebb.backup"
    back_up(file, now=made_at, say=print)
    remember(space, "User likes pasta")
    old = tmp_path / "old.backup"
    with tarfile.open(changed(file, version=1)) as new, tarfile.open(old, "w") as archive:
        for part in new.getmembers():
            content = new.extractfile(part)
            part.name = part.name.removesuffix(".000000")  # it had the dump in one piece
            archive.addfile(part, content)

    restore(old, replace=True, even_if_running=True, now=made_at, say=print)

    assert contents(test_database_url()) == before


def test_not_while_a_worker_lives(
    space: Space, made_at: datetime, settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "ebb.backup"
    back_up(file, now=made_at, say=print)
    record_heartbeat(queue="ebb", now=made_at)

    with pytest.raises(BackupError, match="Ebb is running"):
        restore(file, replace=True, even_if_running=False, now=made_at, say=print)


def test_a_database_that_is_away_is_named_in_one_line(
    made_at: datetime, settings: Settings, tmp_path: Path
) -> None:
    with held_port() as port:
        settings.DATABASE_URL = f"postgresql://ebb@127.0.0.1:{port.getsockname()[1]}/ebb"
        with pytest.raises(StartError, match=r"^The database in DATABASE_URL does not answer.*$"):
            back_up(tmp_path / "ebb.backup", now=made_at, say=print)


def tar(manifest: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        part = tarfile.TarInfo("manifest.json")
        part.size = len(manifest)
        archive.addfile(part, io.BytesIO(manifest))
    return file.getvalue()


@pytest.mark.parametrize("content", [b"", b"not a tar", tar(b"[]"), tar(b"{}"), tar(b"{"), None])
def test_what_is_no_backup_is_refused(
    made_at: datetime, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "ebb.backup"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(BackupError, match=r"^\S+ is not a backup of Ebb.*$"):  # one line
        restore(file, replace=True, even_if_running=True, now=made_at, say=print)


def test_a_restore_that_fails_leaves_everything_as_it_was(
    space: Space, made_at: datetime, tmp_path: Path
) -> None:
    remember(space, "User likes pizza")
    before, file = contents(test_database_url()), tmp_path / "ebb.backup"
    back_up(file, now=made_at, say=print)
    broken = tmp_path / "broken.backup"
    with tarfile.open(file) as old, tarfile.open(broken, "w") as new:
        for part in old.getmembers():
            content = old.extractfile(part)
            assert content is not None
            data = content.read()
            if part.name == "database.dump.000000":  # its end is lost
                data = data[: len(data) * 2 // 3]
                part.size = len(data)
            new.addfile(part, io.BytesIO(data))

    with pytest.raises(BackupError):
        restore(broken, replace=True, even_if_running=True, now=made_at, say=print)

    assert contents(test_database_url()) == before
