"""Weeks from Monday to Sunday in UTC, with their ISO names such as "2026-W47"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from memory.errors import FieldError, InvalidArguments

PATTERN = "^[12][0-9]{3}-W(0[1-9]|[1-4][0-9]|5[0-3])$"
"""The name of a week; the range of years keeps its neighbours inside the calendar."""
_SEVEN_DAYS = timedelta(days=7)


@dataclass(frozen=True)
class Week:
    """A week by its first day, a Monday."""

    first: date

    @property
    def name(self) -> str:
        """The ISO name of the week."""
        year, number, _day = self.first.isocalendar()
        return f"{year:04}-W{number:02}"

    @property
    def last(self) -> date:
        """The Sunday of the week."""
        return self.first + timedelta(days=6)

    @property
    def begins_at(self) -> datetime:
        """The moment at which it begins."""
        return datetime.combine(self.first, time(), tzinfo=UTC)

    @property
    def ends_at(self) -> datetime:
        """The moment at which the next one begins."""
        return self.begins_at + _SEVEN_DAYS

    @property
    def previous(self) -> Week:
        """The week before it."""
        return Week(self.first - _SEVEN_DAYS)

    @property
    def following(self) -> Week:
        """The week after it."""
        return Week(self.first + _SEVEN_DAYS)


def week_of(moment: datetime) -> Week:
    """Return the week of this moment."""
    day = moment.astimezone(UTC).date()
    return Week(day - timedelta(days=day.weekday()))


def parse_week(name: str) -> Week:
    """Return the week with this name. Raises InvalidArguments."""
    if re.fullmatch(PATTERN, name, re.ASCII):
        year, number = name.split("-W")
        try:
            return Week(date.fromisocalendar(int(year), int(number), 1))
        except ValueError:  # most years have no week 53
            pass
    raise InvalidArguments(FieldError("week", "must be a week such as 2026-W47"))
