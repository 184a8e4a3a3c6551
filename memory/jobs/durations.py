"""Durations as text, for pages."""

from datetime import timedelta
from math import ceil

from django.utils.translation import ngettext


def how_long(time: timedelta) -> str:
    """Return a duration in one unit: "40 seconds", "12 minutes", "3 hours", "30 days"."""
    seconds = max(0, ceil(time.total_seconds()))
    if seconds < 60:
        n, text = seconds, ngettext("%(n)d second", "%(n)d seconds", seconds)
    elif seconds < 3600:
        n = round(seconds / 60)
        text = ngettext("%(n)d minute", "%(n)d minutes", n)
    elif seconds < 48 * 3600:
        n = round(seconds / 3600)
        text = ngettext("%(n)d hour", "%(n)d hours", n)
    else:
        n = round(seconds / 86400)
        text = ngettext("%(n)d day", "%(n)d days", n)
    return text % {"n": n}
