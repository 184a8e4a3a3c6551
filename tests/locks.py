"""Who waits for whom in the database, for tests of two at once."""

from django.db import connection


def somebody_waits() -> bool:
    """Whether another connection to this database waits for a lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
            " AND wait_event_type = 'Lock' AND pid <> pg_backend_pid())"
        )
        [found] = cursor.fetchone()
    return bool(found)
