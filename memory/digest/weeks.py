"""Weeks from Monday to Sunday in a time zone, with their ISO names such as "2026-W47"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo

from foundation.errors import FieldError, InvalidArguments
from foundation.moments import beginning_of, zone_of

PATTERN = "^[12][0-9]{3}-W(0[1-9]|[1-4][0-9]|5[0-3])$"
"""The name of a week; the range of years keeps its neighbours inside the calendar."""
_SEVEN_DAYS = timedelta(days=7)


@dataclass(frozen=True)
class Week:
    """A week by its first day, a Monday, and the zone of its days."""

    first: date
    zone: tzinfo = UTC

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
        return beginning_of(self.first, self.zone)

    @property
    def ends_at(self) -> datetime:
        """The moment at which the next one begins."""
        return self.following.begins_at

    @property
    def previous(self) -> Week:
        """The week before it."""
        return replace(self, first=self.first - _SEVEN_DAYS)

    @property
    def following(self) -> Week:
        """The week after it."""
        return replace(self, first=self.first + _SEVEN_DAYS)


def week_of(moment: datetime) -> Week:
    """Return the week of this moment, in its own zone."""
    day = moment.date()
    return Week(day - timedelta(days=day.weekday()), zone_of(moment))


def parse_week(name: str, zone: tzinfo = UTC) -> Week:
    """Return the week with this name, in this zone. Raises InvalidArguments."""
    if re.fullmatch(PATTERN, name, re.ASCII):
        year, number = name.split("-W")
        try:
            return Week(date.fromisocalendar(int(year), int(number), 1), zone)
        except ValueError:  # most years have no week 53
            pass
    raise InvalidArguments(FieldError("week", "must be a week such as 2026-W47"))
