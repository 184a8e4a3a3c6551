"""Keeps the tables of before in a schema of its own while a backup is restored.

A restore commits many times, because pg_restore works in parallel. If it fails, or is interrupted,
the tables of before are put back: at once, or by the next `prepare` or restore.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import psycopg

_BEFORE = "ebb_before_restore"
_EACH_TABLE = """
    DO $$ DECLARE t record; BEGIN
      FOR t IN SELECT tablename AS name FROM pg_tables WHERE schemaname = '{schema}' LOOP
        EXECUTE format('{statement}', t.name);
      END LOOP;
    END $$
"""
_SET_ASIDE = _EACH_TABLE.format(
    schema="public", statement=f"ALTER TABLE public.%I SET SCHEMA {_BEFORE}"
)
_DROP = _EACH_TABLE.format(schema="public", statement="DROP TABLE IF EXISTS public.%I CASCADE")
_PUT_BACK = _EACH_TABLE.format(
    schema=_BEFORE, statement=f"ALTER TABLE {_BEFORE}.%I SET SCHEMA public"
)
# Of a restore whose command was killed.
_END_RESTORES = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE application_name = 'pg_restore' AND datname = current_database() AND usename = user
"""
# Rights with which SQL of a forged backup would reach more than Ebb's tables.
_POWERFUL = """
    SELECT EXISTS (
        SELECT FROM pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER')
        AND (rolsuper OR rolcreaterole OR rolname IN (
            'pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'
        ))
    )
"""

# Of the user, in pg_db_role_setting.
_SETTINGS = """
    SELECT setdatabase, setconfig FROM pg_db_role_setting
    JOIN pg_roles ON pg_roles.oid = setrole WHERE rolname = session_user ORDER BY setdatabase
"""
_RESET = """
    DO $$ BEGIN
      EXECUTE format('ALTER ROLE %I IN DATABASE %I RESET ALL', session_user, current_database());
      EXECUTE format('ALTER ROLE %I RESET ALL', session_user);
    END $$
"""
# Whatever the user's settings are, a session with these can reset them.
_USABLE = (
    "-c default_transaction_read_only=off -c search_path=public"
    " -c statement_timeout=0 -c lock_timeout=0"
)


def is_powerful(url: str) -> bool:
    """Return whether the user may do more than own tables: reach files or programs of the server,
    or give itself such rights."""
    with psycopg.connect(url) as session:
        return session.execute(_POWERFUL).fetchone() == (True,)


def has_tables(url: str) -> bool:
    """Return whether there are tables."""
    with psycopg.connect(url) as session:
        found = session.execute("SELECT FROM pg_tables WHERE schemaname = 'public' LIMIT 1")
        return found.fetchone() is not None


def has_worker(url: str, *, since: datetime) -> bool:
    """Return whether a worker on any host has recorded a heartbeat since then."""
    with psycopg.connect(url) as session:
        if session.execute("SELECT to_regclass('memory_workerheartbeat')").fetchone() == (None,):
            return False
        alive = "SELECT FROM memory_workerheartbeat WHERE at > %s"
        return session.execute(alive, [since]).fetchone() is not None


def migrations(url: str) -> list[str]:
    """Return the applied migrations, as app.name."""
    with psycopg.connect(url) as session:
        rows = session.execute("SELECT app || '.' || name FROM public.django_migrations")
        return [name for [name] in rows]


def set_aside(url: str) -> None:
    """Move all tables out of the way."""
    with psycopg.connect(url) as session:
        session.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        session.execute(f"CREATE SCHEMA {_BEFORE}")
        session.execute(_SET_ASIDE)


def forget(url: str) -> None:
    """Drop the tables that were set aside."""
    with psycopg.connect(url) as session:
        session.execute(f"DROP SCHEMA {_BEFORE} CASCADE")


@contextmanager
def unchanged_settings(url: str) -> Iterator[None]:
    """Reset the user's settings in PostgreSQL if the SQL of a forged backup changes them during the
    block: they could keep Ebb from using the database."""
    with psycopg.connect(url) as session:
        before = session.execute(_SETTINGS).fetchall()
    try:
        yield
    finally:
        with psycopg.connect(url, options=_USABLE) as session:
            if session.execute(_SETTINGS).fetchall() != before:
                session.execute(_RESET)


def put_back(url: str) -> None:
    """Replace all tables with those that were set aside, if an unfinished restore left any."""
    with psycopg.connect(url) as session:
        if session.execute(f"SELECT to_regnamespace('{_BEFORE}')").fetchone() != (None,):
            session.execute(_END_RESTORES)
            session.execute(_DROP)
            session.execute(_PUT_BACK)
            session.execute(f"DROP SCHEMA {_BEFORE}")
