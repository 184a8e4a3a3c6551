"""Headings for lists: days above messages, and periods above conversations."""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import Protocol, TypeVar
from uuid import UUID

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

LAST_WEEK = 7  # days


class Row(Protocol):
    """A message or a conversation."""

    @property
    def pk(self) -> UUID:
        """The row's key."""


R = TypeVar("R", bound=Row)


def day_name(moment: datetime) -> str:
    """Return "Today", "Yesterday" or the date, in the reader's time zone."""
    day = timezone.localdate(moment)
    return _recent(day) or date_format(day, "DATE_FORMAT")


def period_name(moment: datetime) -> str:
    """Return "Today", "Yesterday", "Last 7 days" or the month, in the reader's time zone."""
    day = timezone.localdate(moment)
    if recent := _recent(day):
        return recent
    if 0 < (timezone.localdate() - day).days <= LAST_WEEK:
        return _("Last 7 days")
    return date_format(day, "YEAR_MONTH_FORMAT")


def beginnings(
    rows: Iterable[R], name_of: Callable[[R], str], *, before: str = ""
) -> dict[UUID, str]:
    """Return the headings above rows, by the row's id: one wherever it differs from the row before.
    `before` is the heading that is already shown.
    """
    found = {}
    for row in rows:
        name = name_of(row)
        if name != before:
            found[row.pk] = name
        before = name
    return found


def _recent(day: date) -> str:
    return {0: _("Today"), 1: _("Yesterday")}.get((timezone.localdate() - day).days, "")
