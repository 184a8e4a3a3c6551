"""Rate limits of the expensive calls, by key and by person.

All processes share one count in PostgreSQL. To make few calls wait for it, a process reserves a
hundredth of a limit at a time. A key's own limit applies in addition (accounts.keys.services).
"""

from datetime import UTC, datetime
from enum import StrEnum

from django.conf import settings
from django.core.cache import caches

from accounts.authentication import Access
from accounts.limits import limit_counts
from foundation.errors import RateLimited

_MINUTE = 60  # seconds
_TAKES = 100  # in which a process may take a whole limit


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
    most: int = settings.EBB_RATES[kind]
    key = f"calls:{kind}:{most}:{access.caller}"  # a changed limit counts from 0
    taken = f"{key}:{minute:.0f}"
    if _use(taken):
        return
    start = datetime.fromtimestamp(minute * _MINUTE, UTC)
    reserve = max(1, most // _TAKES)
    before = limit_counts.add(key, reserve, start=start, since=start) - reserve
    if before >= most:
        raise RateLimited(
            f"Limit of {most} calls per minute exceeded for this kind of call ({kind}).",
            retry_after=_MINUTE - second,
        )
    caches["process"].set(taken, min(reserve, most - before) - 1, 2 * _MINUTE)


def _use(taken: str) -> bool:
    """Use one of the calls that this process has reserved. Return whether one was left."""
    try:
        return caches["process"].decr(taken) >= 0
    except ValueError:  # none was taken this minute
        return False
