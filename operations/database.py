"""Database connections: their settings, and the address for programs that use libpq."""

from collections.abc import Mapping
from typing import Any, Self
from urllib.parse import unquote

import environ
import psycopg
from django.core.exceptions import ImproperlyConfigured

ADDRESS_RULE = "DATABASE_URL must look like postgresql://user:password@host:5432/name"

# Query options of DATABASE_URL that Django reads. libpq refuses an address that has one.
_OF_DJANGO = {
    "assume_role", "atomic_requests", "autocommit", "conn_health_checks", "conn_max_age",
    "disable_server_side_cursors", "isolation_level", "prepare_threshold", "server_side_binding",
}  # fmt: skip
# Prepared statements (foundation/database/sql.py) are planned once, independent of their values;
# but Citus needs the values to choose a shard. It also asks shards one after the other: a
# transaction that asked several at once could not write to a table that all nodes have. A
# transaction that waits for five minutes belongs to a request that hangs; its locks stop others.
SESSION = """
    SELECT set_config(
            'plan_cache_mode', CASE WHEN citus THEN 'auto' ELSE 'force_generic_plan' END, false
        ),
        CASE WHEN citus
            THEN set_config('citus.multi_shard_modify_mode', 'sequential', false)
        END,
        set_config('idle_in_transaction_session_timeout', '300000', false)
    FROM (SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS citus) AS found
"""


def database_entry(address: str) -> dict[str, Any]:
    """Return a URL as an entry of DATABASES.

    Raises ImproperlyConfigured without repeating the URL, which contains a password.
    """
    try:
        entry: dict[str, Any] = environ.Env.db_url_config(
            address, engine="django.db.backends.postgresql"
        )
    except ValueError:
        raise ImproperlyConfigured(ADDRESS_RULE) from None
    if not entry["NAME"]:
        raise ImproperlyConfigured(f"{ADDRESS_RULE}; the name is missing.")
    return entry


def libpq_url(address: str) -> str:
    """Return DATABASE_URL for libpq (psycopg, pg_dump, psql): without Django's own options."""
    base, _, query = address.partition("?")
    options = [pair for pair in query.split("&") if pair and not _is_of_django(pair)]
    return f"{base}?{'&'.join(options)}" if options else base


def _is_of_django(pair: str) -> bool:
    return unquote(pair.partition("=")[0]).lower() in _OF_DJANGO


class EbbConnection(psycopg.Connection[Any]):
    """A connection with Ebb's session settings.

    SQL sets them: PgBouncer refuses connections that send them as the start-up parameter `options`.
    """

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        """Return a new connection with the session settings. Raises psycopg.Error."""
        connection = super().connect(conninfo, **options)
        try:
            connection.execute(SESSION)
        except psycopg.Error:
            connection.close()
            raise
        return connection


def is_shared(database: Mapping[str, Any]) -> bool:
    """Return whether a pooler shares connections between transactions, so that session settings,
    prepared statements and NOTIFY do not work.
    """
    return bool(database.get("DISABLE_SERVER_SIDE_CURSORS"))


def connection_options(database: Mapping[str, Any], *, most: int) -> dict[str, Any]:
    """Return OPTIONS for this entry of DATABASES, with at most `most` connections."""
    # A pool releases connections between requests and while a model works.
    pool: dict[str, Any] = {"min_size": 1, "max_size": most, "timeout": 15}
    if not is_shared(database):
        pool["connection_class"] = EbbConnection
    return {**database.get("OPTIONS", {}), "pool": pool}
