"""Databases to restore into, owned by an ordinary user, and forged backups."""

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.test import override_settings
from django.utils import timezone
from pytest_django import DjangoDbBlocker, Settings

from operations.backup.backup import back_up, restore
from tests.processes import test_database_url

# The definition of a table with room for other SQL.
_FILLER = f"name text DEFAULT '{'filler' * 100}'"
_DEFINITION = re.compile(rb"CREATE TABLE public\.auth_own \(.*?\);\n", re.DOTALL)


def run(sql: str, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as session:
        session.execute(sql.encode())


def groups(url: str) -> list[str]:
    """The names of a table that stands for all content."""
    with psycopg.connect(url) as session:
        rows = session.execute("SELECT name FROM auth_group ORDER BY name").fetchall()
    return [name for [name] in rows]


def restored(file: Path, *, replace: bool = True, identity: Path | None = None) -> list[str]:
    """Restore a backup; return what was reported."""
    said: list[str] = []
    restore(
        file, identity=identity, replace=replace, even_if_running=True, now=timezone.now(),
        say=said.append,
    )  # fmt: skip
    return said


@pytest.fixture(scope="module")
def ordinary(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """The address of a restored database, for a user who owns it and has no other rights."""
    source, folder = test_database_url(), tmp_path_factory.mktemp("ordinary")
    own = urlsplit(source)._replace(path="/ordinary").geturl()
    url = urlsplit(own)._replace(netloc="ordinary:@").geturl()
    run("CREATE ROLE ordinary LOGIN", source)
    run("CREATE DATABASE ordinary OWNER ordinary", source)
    run("CREATE EXTENSION vector", own)
    with override_settings(EBB_DATA_DIR=folder):
        with override_settings(DATABASE_URL=source):
            back_up(folder / "ebb.backup")
        with override_settings(DATABASE_URL=url):
            restored(folder / "ebb.backup", replace=False)
    yield url
    run("DROP DATABASE ordinary WITH (FORCE)", source)
    run("DROP ROLE ordinary", source)


@pytest.fixture
def database(ordinary: str, settings: Settings, tmp_path: Path) -> str:
    """The ordinary database, for backups and restores of this test."""
    settings.DATABASE_URL = ordinary
    settings.EBB_DATA_DIR = tmp_path / "data"
    settings.EBB_DATA_DIR.mkdir()
    return ordinary


@pytest.fixture
def backup(database: str, settings: Settings, tmp_path: Path) -> Path:
    """A backup with the group `old` of a database in which there is also `new` now."""
    file, key = tmp_path / "ebb.backup", settings.EBB_DATA_DIR / "secret_key"
    run("DELETE FROM auth_group; INSERT INTO auth_group (name) VALUES ('old')", database)
    key.write_text("first")
    back_up(file)
    run("INSERT INTO auth_group (name) VALUES ('new')", database)
    key.write_text("second")
    return file


def dump_of(file: Path) -> bytes:
    with tarfile.open(file) as archive:
        part = archive.extractfile("database.dump")
        assert part is not None
        return part.read()


def with_dump(file: Path, dump: bytes) -> Path:
    """Return a backup with this dump."""
    path, other = file.with_name("database.dump"), file.with_name("other.backup")
    path.write_bytes(dump)
    with tarfile.open(other, "w") as archive:
        archive.add(path, "database.dump")
    return other


def roomy(file: Path, database: str) -> bytes:
    """Return the dump of a database that has one more table, whose definition is long."""
    run(f"CREATE TABLE public.auth_own ({_FILLER})", database)
    back_up(file)
    run("DROP TABLE public.auth_own", database)
    return dump_of(file)


def with_sql(dump: bytes, sql: str) -> bytes:
    """Return the dump with other SQL in the definition of that table."""
    found = _DEFINITION.search(dump)
    assert found is not None
    assert len(sql) < len(found[0])
    return dump.replace(found[0], sql.encode().ljust(len(found[0])))
