"""The timeline of a space: how many memories were saved, used, changed and removed, and when."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

from django.db.models import Count
from django.db.models.functions import TruncDay, TruncHour

from accounts.models import Space
from foundation.moments import beside
from foundation.readers import Reader
from memory.models import Memory, MemoryEvent
from memory.models.history import Action, HistoryQuerySet

KINDS: Final = {
    "saved": (Action.CREATED, Action.APPROVED, Action.RESTORED),
    "used": (Action.USED,),
    "changed": (
        Action.REVISED, Action.REINFORCED, Action.RENEWED, Action.EXTENDED, Action.PINNED,
        Action.UNPINNED,
    ),
    "removed": (Action.EXPIRED, Action.EVICTED, Action.DELETED, Action.REJECTED),
}  # fmt: skip
"""The actions of the history that each kind counts."""

LONGEST: Final = 366  # days
STEPS: Final = 60
"""Maximum number of steps of a timeline of more than two days."""
_BY_HOUR: Final = 2  # days; a shorter timeline has one step for each hour
_USUAL: Final = 30  # days


@dataclass(frozen=True)
class Period:
    """The days from `since` to `until`, both included, in a time zone. At most LONGEST days."""

    since: date
    until: date
    zone: tzinfo = UTC

    @classmethod
    def of(
        cls,
        since: date | None,
        until: date | None,
        *,
        today: date,
        first: date,
        zone: tzinfo = UTC,
    ) -> Period:
        """Return a period that ends today at the latest. Without `since`, it is the last 30 days,
        or fewer in a space whose `first` day came later."""
        end = min(until or today, today)
        begin = since or max(end - timedelta(days=_USUAL - 1), first)
        return cls(max(min(begin, end), end - timedelta(days=LONGEST - 1)), end, zone)

    @property
    def days(self) -> int:
        """The number of days."""
        return (self.until - self.since).days + 1

    @property
    def step(self) -> timedelta:
        """The length of a step: an hour, or enough days for at most STEPS steps."""
        if self.days <= _BY_HOUR:
            return timedelta(hours=1)
        return timedelta(days=-(-self.days // STEPS))

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """The first moment of the period, and the first moment after it, by the wall clock of its
        zone: each of its days has 24 hours."""
        begins = datetime.combine(self.since, time(), tzinfo=self.zone)
        return begins, begins + timedelta(days=self.days)


@dataclass(frozen=True)
class Step:
    """A step of a timeline: its days, both included, its beginning, and its numbers by kind."""

    since: date
    until: date
    begins: datetime
    counts: Mapping[str, int]


def first_day(*, space: Space, reader: Reader, now: datetime) -> date:
    """Return the day of the space's first event, or today, in the zone of `now`."""
    events = MemoryEvent.objects.in_space(space).readable_by(reader).order_by("at", "pk")
    at = events.values_list("at", flat=True).first()
    return beside(at or now, now).date()


def events_of(
    *, space: Space, reader: Reader, period: Period, kinds: Collection[str], memory_type: str = ""
) -> HistoryQuerySet:
    """Return the events of these kinds. With a type, only events of memories that still exist and
    have this type now, because events do not record the type.
    """
    begins, ends = period.bounds
    actions = [action for kind in kinds for action in KINDS[kind]]
    events = MemoryEvent.objects.in_space(space).readable_by(reader)
    events = events.filter(at__gte=begins, at__lt=ends, action__in=actions)
    if memory_type:
        of_type = Memory.objects.in_space(space).filter(memory_type=memory_type)
        events = events.filter(memory_id__in=of_type.values("pk"))
    return events


def count_by_step(events: HistoryQuerySet, period: Period) -> list[Step]:
    """Return all steps of the period with the numbers of these events. One statement."""
    begins, ends = period.bounds
    step = period.step
    truncated = TruncHour if step < timedelta(days=1) else TruncDay
    steps = [dict.fromkeys(KINDS, 0) for _ in range(-(-(ends - begins) // step))]
    kind_of = {action: kind for kind, actions in KINDS.items() for action in actions}
    counted = events.values_list(truncated("at", tzinfo=period.zone), "action").annotate(
        Count("pk")
    )
    for at, action, count in counted.order_by():
        steps[(at - begins) // step][kind_of[Action(action)]] += count
    return [
        _step(begins + number * step, step, ends, counts) for number, counts in enumerate(steps)
    ]


def _step(begins: datetime, step: timedelta, ends: datetime, counts: Mapping[str, int]) -> Step:
    last = min(begins + step, ends) - timedelta(microseconds=1)
    return Step(begins.date(), last.date(), begins, counts)
