"""The pause that an endpoint asks for in its answer: `Retry-After` (RFC 9110, section 10.2.3)."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from math import isfinite

LONGEST = 24 * 3600.0  # seconds: a longer wish is a mistake, or means harm


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the pause in seconds, given as a number or as a date, at most LONGEST; None if
    there is none or it is unreadable.

    `headers` finds names in any case.
    """
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            # The date refers to the endpoint's own clock.
            asked_at = parsedate_to_datetime(headers.get("date", ""))
            seconds = (parsedate_to_datetime(value) - asked_at).total_seconds()
        except (TypeError, ValueError):
            return None
    return min(max(0.0, seconds), LONGEST) if isfinite(seconds) else None
