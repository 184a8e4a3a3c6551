"""Waiting connections in the database, for tests of two writers at once."""

from django.db import connection

from operations.postgres.distribution import has_citus

_WAITING = """
    SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock' AND pid <> pg_backend_pid())
"""
_WAITING_ON_A_NODE = f"""
    SELECT bool_or(result::boolean) FROM run_command_on_all_nodes($${_WAITING}$$)
"""


def somebody_waits() -> bool:
    """Return whether another connection to this database waits for a lock."""
    with connection.cursor() as cursor:
        # In a transaction the list of connections stays as first seen: one opened since is missing.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(_WAITING_ON_A_NODE if has_citus() else _WAITING)
        [found] = cursor.fetchone()
    return bool(found)
