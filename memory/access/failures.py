"""Counts of failed attempts to log in, by account, address and second factor.

Each process has its own counts. They end 15 minutes after the first failure.
"""

import hashlib
from contextlib import suppress

from django.core.cache import cache

WINDOW = 15 * 60  # seconds for which failures count


def failures(kind: str, value: str) -> int:
    """Return the number of recent failures of this account, address or other thing."""
    found: int = cache.get(_key(kind, value), 0)
    return found


def count_failure(kind: str, value: str) -> None:
    """Count one failure."""
    key = _key(kind, value)
    cache.add(key, 0, WINDOW)
    with suppress(ValueError):  # it has just expired
        cache.incr(key)


def forget_failures(kind: str, value: str) -> None:
    """Set the count back to 0."""
    cache.delete(_key(kind, value))


def _key(kind: str, value: str) -> str:
    digest = hashlib.sha256(value.casefold().encode(errors="replace")).hexdigest()
    return f"login-failures:{kind}:{digest}"
