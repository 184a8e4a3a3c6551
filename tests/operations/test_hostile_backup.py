"""A forged backup can write into Ebb's tables, and nowhere else."""

from pathlib import Path

import psycopg
import pytest

from operations.backup.backup import BackupError
from tests.operations.backups import (
    backup,
    database,
    groups,
    ordinary,
    restored,
    roomy,
    run,
    with_dump,
    with_sql,
)

__all__ = ["backup", "database", "ordinary"]  # fixtures

pytestmark = pytest.mark.django_db

_OWN = "CREATE FUNCTION public.own() RETURNS {} AS"
# What only a role with more rights may do, even after RESET ROLE.
FORBIDDEN = (
    "COPY public.auth_group (name) FROM PROGRAM 'echo owned';",
    "COPY public.auth_group (name) FROM '/etc/passwd';",
    "COPY public.auth_group TO PROGRAM 'cat >/tmp/owned';",
    "RESET ROLE; RESET SESSION AUTHORIZATION; ALTER ROLE ordinary SUPERUSER;",
    "SET SESSION AUTHORIZATION postgres;",
    "GRANT pg_execute_server_program TO ordinary;",
    "ALTER SYSTEM SET archive_command = 'touch /tmp/owned';",
    "CREATE EXTENSION plpython3u;",
    f"{_OWN.format('int')} 'libc.so.6', 'system' LANGUAGE c;",
    f"{_OWN.format('event_trigger')} 'BEGIN END' LANGUAGE plpgsql;"
    " CREATE EVENT TRIGGER own ON ddl_command_end EXECUTE FUNCTION public.own();",
    "SELECT lo_import('/etc/passwd');",
    "SELECT pg_read_file('/etc/passwd');",
    "CREATE TABLE public.auth_own (name text DEFAULT pg_read_file('/etc/passwd'));"
    " INSERT INTO public.auth_own DEFAULT VALUES;",
    "DROP EXTENSION vector CASCADE;",
    "CREATE DATABASE own;",
)


def test_it_gets_no_further_rights(backup: Path, database: str) -> None:
    dump = roomy(backup, database)
    for sql in FORBIDDEN:
        with pytest.raises(BackupError, match="(permission|must be|not available)"):
            restored(with_dump(backup, with_sql(dump, sql)))
        assert groups(database) == ["new", "old"]


def test_what_it_leaves_runs_with_the_rights_of_ebb(backup: Path, database: str) -> None:
    """A trigger that would start a program if a superuser wrote into the table."""
    trigger = f"""
        CREATE TABLE public.auth_own (name text);
        {_OWN.format("trigger")} $$ BEGIN COPY auth_own FROM PROGRAM 'echo 1'; RETURN NEW; END $$
        LANGUAGE plpgsql SECURITY DEFINER;
        CREATE TRIGGER own BEFORE INSERT ON public.auth_own
        FOR EACH ROW EXECUTE FUNCTION public.own();
    """
    restored(with_dump(backup, with_sql(roomy(backup, database), trigger)))

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run("INSERT INTO auth_own VALUES ('x')", database)
    run("DROP FUNCTION own CASCADE; DROP TABLE auth_own", database)


def test_it_cannot_lock_ebb_out(backup: Path, database: str) -> None:
    sql = """
        CREATE TABLE public.auth_own (name text);
        ALTER ROLE ordinary SET default_transaction_read_only = on;
        ALTER ROLE ordinary IN DATABASE ordinary SET search_path = pg_temp;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE usename = user AND pid <> pg_backend_pid();
    """
    with pytest.raises(BackupError):  # its own further sessions can write no more
        restored(with_dump(backup, with_sql(roomy(backup, database), sql)))

    run("INSERT INTO auth_group (name) VALUES ('more')", database)
    assert groups(database) == ["more", "new", "old"]
