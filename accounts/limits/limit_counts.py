"""Counts in PostgreSQL for limits that all processes share."""

from datetime import datetime, timedelta

from accounts.models import LimitCount
from foundation.database.sql import fetch

LONGEST = timedelta(hours=1)
"""Older windows are deleted. No limit has a longer one."""

# Each key has one row. A later window replaces the earlier one.
_ADD = """
    INSERT INTO accounts_limitcount AS known (key, started_at, count)
    VALUES (%(key)s, %(start)s, %(number)s)
    ON CONFLICT (key) DO UPDATE SET
        count = %(number)s + CASE WHEN known.started_at >= %(since)s THEN known.count ELSE 0 END,
        started_at = CASE WHEN known.started_at >= %(since)s THEN known.started_at
            ELSE excluded.started_at END
    RETURNING count
"""


def add(key: str, number: int, *, start: datetime, since: datetime) -> int:
    """Add to the count of a key and return the sum. A window that began before `since` has ended,
    and the count begins again at `start`."""
    values = {"key": key, "number": number, "start": start, "since": since}
    [[count]] = fetch(_ADD, values)
    return int(count)


def forget_old(*, now: datetime) -> None:
    """Delete the counts of windows that have ended."""
    LimitCount.objects.filter(started_at__lt=now - LONGEST).delete()
