"""The time of an event that a statement names."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Literal

from foundation.moments import beginning_of

Precision = Literal["day", "month", "year"]


@dataclass(frozen=True)
class Event:
    """The time of an event: the first day of its day, month or year, and the speaker's zone."""

    day: date
    precision: Precision
    zone: tzinfo

    @property
    def at(self) -> datetime:
        """The day as it is stored: its first moment in UTC, wherever the speaker is."""
        return beginning_of(self.day, UTC)

    @property
    def begins_at(self) -> datetime:
        """The first moment of the day, month or year."""
        return beginning_of(self.day, self.zone)

    @property
    def ends_at(self) -> datetime:
        """The first moment after the day, month or year."""
        if self.precision == "day":
            after = self.day + timedelta(days=1)
        elif self.precision == "month":
            after = (self.day + timedelta(days=31)).replace(day=1)
        else:
            after = self.day.replace(year=self.day.year + 1)
        return beginning_of(after, self.zone)
