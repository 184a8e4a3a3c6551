"""The day as of which the lab answers, read from the URL."""

from datetime import date
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from memory.recall.times import EARLIEST

if TYPE_CHECKING:
    from django.http import QueryDict


def day_in(params: "QueryDict") -> tuple[date | None, list[str]]:
    """Return the day, None for today, and a sentence if the URL has something else."""
    if not (said := params.get("as_of", "")):
        return None, []
    try:
        day = date.fromisoformat(said)
    except ValueError:
        day = date.min
    if day < EARLIEST:
        return None, [_("As of: enter a date such as 2026-03-31.")]
    return day, []
