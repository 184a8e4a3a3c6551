"""Counts of failed attempts to log in, by account, address and second factor.

All processes share the counts. A count ends 15 minutes after its first failure.
"""

import hashlib
from datetime import datetime, timedelta

from memory.access import limit_counts

WINDOW = timedelta(minutes=15)


def failures(kind: str, value: str, *, now: datetime) -> int:
    """Return the number of recent failures of this account, address or second factor."""
    return limit_counts.counted(_key(kind, value), since=now - WINDOW)


def count_failure(kind: str, value: str, *, now: datetime) -> None:
    """Count one failure."""
    limit_counts.add(_key(kind, value), 1, start=now, since=now - WINDOW)


def forget_failures(kind: str, value: str) -> None:
    """Set the count back to 0."""
    limit_counts.forget(_key(kind, value))


def _key(kind: str, value: str) -> str:
    digest = hashlib.sha256(value.casefold().encode(errors="replace")).hexdigest()
    return f"login-failures:{kind}:{digest}"
