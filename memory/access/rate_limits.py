"""Rate limits of the expensive calls, by key and by person.

Each web process counts its own calls in its cache. A key's own limit applies in addition
(memory.access.keys).
"""

from datetime import datetime
from enum import StrEnum

from django.conf import settings
from django.core.cache import cache

from memory.access.authentication import Access
from memory.errors import RateLimited

_MINUTE = 60  # seconds


class CallKind(StrEnum):
    """The kinds of expensive calls. Each has its limit in the setting EBB_RATES."""

    SEARCH = "search"
    EXPLAIN = "explain"
    ASSESS = "assess"
    LAB = "lab"
    PREVIEW = "preview"
    EXPORT = "export"


def count_call(access: Access, kind: CallKind, *, now: datetime) -> None:
    """Count a call of this kind; raises RateLimited if the caller made too many this minute."""
    minute, second = divmod(now.timestamp(), _MINUTE)
    key = f"calls:{kind}:{access.caller}:{minute:.0f}"
    cache.add(key, 0, 2 * _MINUTE)
    if cache.incr(key) > (most := settings.EBB_RATES[kind]):
        raise RateLimited(
            f"Limit of {most} calls per minute exceeded for this kind of call ({kind}).",
            retry_after=_MINUTE - second,
        )
