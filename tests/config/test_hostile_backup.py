"""A restore refuses SQL that Ebb does not write."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone
from pytest_django import Settings

from config import dump_script
from config.backup import BackupError, back_up, restore
from config.dump_script import ForeignSQL
from config.postgres_tools import Tool
from memory.models import Space, User, WorkerHeartbeat
from tests.memory.writing import remember
from tests.processes import test_database_url

pytestmark = pytest.mark.django_db(transaction=True)

# What makes each, and what removes it again.
FOREIGN = {
    "CREATE FUNCTION": (
        """
            CREATE FUNCTION public.own() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'owned'; END $$
        """,
        "DROP FUNCTION own",
    ),
    "CREATE SCHEMA": (
        "CREATE SCHEMA own; CREATE TABLE own.rows (id int)",
        "DROP SCHEMA own CASCADE",
    ),
    "CREATE TABLE": (
        "CREATE TABLE public.own (name text DEFAULT pg_read_file('/etc/passwd'))",
        "DROP TABLE own",
    ),
}
# What an operator adds to Ebb's tables, and the beginning of the line about it.
ADDED = {
    "CREATE TRIGGER own": """
        CREATE FUNCTION public.own_f() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'owned'; END $$;
        CREATE TRIGGER own BEFORE UPDATE ON public.memory_memory
        FOR EACH ROW EXECUTE FUNCTION own_f()
    """,
    "CREATE RULE own": """
        CREATE RULE own AS ON INSERT TO public.memory_memory
        DO ALSO (DELETE FROM memory_space; DELETE FROM memory_memory)
    """,
    "CREATE POLICY own": "CREATE POLICY own ON public.memory_memory USING (true)",
    "ALTER TABLE public.memory_memory ENABLE": """
        ALTER TABLE memory_memory ENABLE ROW LEVEL SECURITY
    """,
    "CREATE INDEX own": "CREATE INDEX own ON public.memory_memory (abs(hashtext(content)))",
    "ALTER TABLE public.memory_memory ADD CONSTRAINT own": """
        ALTER TABLE memory_memory ADD CONSTRAINT own CHECK (hashtext(content) <> 7) NOT VALID
    """,
    "CREATE VIEW public.memory_own": "CREATE VIEW memory_own AS SELECT * FROM memory_memory",
    "CREATE MATERIALIZED VIEW public.memory_own_2": """
        CREATE MATERIALIZED VIEW memory_own_2 AS SELECT * FROM memory_space
    """,
    "REFRESH MATERIALIZED VIEW public.memory_own_2": "",
}


@pytest.fixture
def backup(space: Space, settings: Settings, tmp_path: Path) -> Path:
    settings.DATABASE_URL = test_database_url()
    WorkerHeartbeat.objects.all().delete()
    remember(space, "User likes pizza")
    file = tmp_path / "ebb.backup"
    back_up(file, now=timezone.now(), say=print)
    return file


def run(sql: str) -> None:
    with psycopg.connect(test_database_url(), autocommit=True) as connection:
        connection.execute(sql.encode())


def contents() -> list[tuple[object, ...]]:
    with psycopg.connect(test_database_url()) as connection:
        return connection.execute("SELECT * FROM memory_memory ORDER BY id").fetchall()


def dump_of(backup: Path) -> bytes:
    with tarfile.open(backup) as archive:
        content = archive.extractfile("database.dump.000000")
        assert content is not None
        return content.read()


def with_dump(backup: Path, dump: bytes) -> Path:
    """Return the backup with another dump."""
    other = backup.with_name("other.backup")
    with tarfile.open(backup) as old, tarfile.open(other, "w") as new:
        for part in old.getmembers():
            content = old.extractfile(part)
            assert content is not None
            data = dump if part.name.startswith("database.dump") else content.read()
            part.size = len(data)
            new.addfile(part, io.BytesIO(data))
    return other


def everything() -> bytes:
    """Return a dump of the whole database, as somebody else would make it."""
    with Tool(test_database_url(), "pg_dump", "--format=custom", "--exclude-schema=pgmq") as dump:
        return dump.output.read()


def refused(backup: Path, reason: str) -> None:
    before = contents()
    with pytest.raises(BackupError, match=reason):
        restore(backup, replace=True, even_if_running=True, now=timezone.now(), say=print)
    assert contents() == before


def test_a_dump_with_other_objects_is_refused(backup: Path) -> None:
    for kind, (made, removed) in FOREIGN.items():
        run(made)
        hostile = everything()
        run(removed)

        refused(with_dump(backup, hostile), f"SQL that Ebb does not write.*{kind}")


def test_what_an_operator_added_is_left_out(backup: Path) -> None:
    before, said, now = contents(), list[str](), timezone.now()
    for made in ADDED.values():
        run(made)
    try:
        back_up(backup, now=now, say=print)
    finally:
        run("DROP FUNCTION own_f CASCADE")

    restore(backup, replace=True, even_if_running=True, now=now, say=said.append)

    assert contents() == before
    left = [line for line in said if line.startswith("Left out, because it is not Ebb's: ")]
    assert [kind for kind in ADDED if sum(f"'{kind}" in line for line in left) != 1] == []
    assert len(left) == len(ADDED)
    assert schema().count("own") == 0


def schema() -> str:
    with Tool(test_database_url(), "pg_dump", "--schema-only", "--table=public.*") as dump:
        return dump.output.read().decode().replace("OWNED BY", "").replace("Owner", "")


def test_a_dump_with_a_program_is_refused(backup: Path) -> None:
    copy = b"COPY public.django_migrations (id, app, name, applied) FROM stdin;"
    program = b"COPY public.django_migrations FROM PROGRAM 'touch /tmp/owned'"

    dump = dump_of(backup)
    assert copy in dump
    hostile = dump.replace(copy, program.ljust(len(copy) - 1) + b";")

    refused(with_dump(backup, hostile), "SQL that Ebb does not write.*FROM PROGRAM")


def test_a_backup_has_only_the_tables_of_ebb(backup: Path) -> None:
    run("CREATE TABLE public.own (id int)")
    back_up(backup, now=(now := timezone.now()), say=print)
    run("DROP TABLE own")

    restore(backup, replace=True, even_if_running=True, now=now, say=print)

    with psycopg.connect(test_database_url()) as connection:
        assert connection.execute("SELECT to_regclass('own')").fetchone() == (None,)


def test_a_backup_has_no_sessions(backup: Path) -> None:
    user = User.objects.create_user("ana")
    Session.objects.create(session_key="a" * 32, expire_date=timezone.now())
    UserSession.objects.create(session_key="a" * 32, user=user, ip="192.0.2.1")
    back_up(backup, now=(now := timezone.now()), say=print)

    restore(backup, replace=True, even_if_running=True, now=now, say=print)

    assert User.objects.exists()
    assert not Session.objects.exists()
    assert not UserSession.objects.exists()


STATEMENTS = [
    "CREATE TABLE public.t (id text DEFAULT U&'\\0027' || own() || '');",
    "CREATE TABLE public.t (id int DEFAULT public.vector.own(1));",
    "CREATE TABLE public.t (id int CHECK (id OPERATOR(own.=) 1));",
    "ALTER TABLE public.t ALTER COLUMN id SET DEFAULT own();",
    "CREATE EVENT TRIGGER own ON ddl_command_end EXECUTE FUNCTION own();",
    "SELECT pg_read_file('/etc/passwd');",
    "SELECT pg_catalog.set_config('session_preload_libraries', 'evil', false);",
    "\\! touch /tmp/owned",
    "SET ROLE postgres; DROP TABLE public.memory_memory;",
    "COPY public.memory_memory TO PROGRAM 'sh';",
    "COPY public.t (id) FROM stdin; DROP TABLE public.memory_memory;",
    "DO $$ BEGIN END $$;",
    "CREATE TABLE public.t (id int); DROP TABLE public.memory_memory;",
    "CREATE TABLE public.t (id int) AS SELECT 1;",
    "CREATE TABLE public.t (id int DEFAULT query_to_xml('DROP TABLE x', true, true, ''));",
    "CREATE TABLE public.t (id int DEFAULT pg_catalog.pg_sleep(1));",
    "CREATE TABLE public.t (id int DEFAULT public.own(1));",
    "CREATE TABLE public.t (id int DEFAULT own.own);",
    "CREATE TABLE own.t (id int);",
    "CREATE TABLE public.t (id text DEFAULT E'\\' || own() || '');",
    "CREATE TABLE public.t (id text DEFAULT E'a' || 'b');",
    'CREATE TABLE public.t ("a\'b" text DEFAULT own(), "c\'d" text);',
    "CREATE TABLE public.t (id int -- ' \n DEFAULT own() -- '\n);",
    "CREATE TABLE public.t (id int /* ' */ DEFAULT own() /* ' */);",
    "CREATE TABLE public.t (id int DEFAULT $a$'$a$ || own() || $a$'$a$);",
    "CREATE EXTENSION IF NOT EXISTS plpython3u WITH SCHEMA public;",
    "ALTER TABLE public.memory_memory OWNER TO own;",
    "ALTER SYSTEM SET archive_command = 'sh';",
    "CREATE TABLE public.t (id int",
]


def test_other_statements_are_refused(made: psycopg.Connection) -> None:
    for statement in STATEMENTS:
        lines = io.BytesIO(f"{statement}\n".encode())
        with pytest.raises(ForeignSQL):
            dump_script.run(iter(lines), made, say=print)


@pytest.fixture
def made(db: None) -> Iterator[psycopg.Connection]:
    with psycopg.connect(test_database_url()) as connection:
        yield connection
        connection.rollback()


def test_rows_are_only_rows(made: psycopg.Connection) -> None:
    script = b"""--
-- PostgreSQL database dump
--
\\restrict a1
SET default_tablespace = '';
CREATE TABLE public.t (
    name text DEFAULT 'it''s ; $1'::text NOT NULL
);
COPY public.t (name) FROM stdin;
DROP TABLE public.t;
\\\\! touch
\\.
"""
    dump_script.run(iter(io.BytesIO(script)), made, say=print)

    rows = made.execute("SELECT name FROM public.t").fetchall()
    assert rows == [("DROP TABLE public.t;",), ("\\! touch",)]
    with pytest.raises(ForeignSQL, match="touch"):  # psql would run it
        dump_script.run(
            iter(io.BytesIO(script.replace(b"public.t", b"public.u") + b"\\! touch x\n")),
            made,
            say=print,
        )
