"""A space in numbers: what is alive, what comes and goes, how far it is from its capacity.

Three statements, whatever the size of the space.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Case, CharField, Count, Q, Value, When
from django.db.models.functions import TruncDay

from memory.formulas.importance import TYPE_IMPORTANCE
from memory.models import BinReason, Memory, MemoryEvent, Space, Status
from memory.models.history import Action
from memory.querysets.policies import current_policy

BANDS = {"critical": 0.9, "important": 0.7, "medium": 0.5, "low": 0.3, "little": 0.0}
"""The bands of seed 001, each from its bound up to the one above: of the importance now."""

CAME = (Action.CREATED, Action.RESTORED, Action.APPROVED)
WENT = (Action.EXPIRED, Action.EVICTED, Action.DELETED, Action.REJECTED)
DAYS = 30


@dataclass(frozen=True)
class Day:
    """What came and went on a day, in UTC."""

    day: date
    came: int
    went: int


@dataclass(frozen=True)
class Overview:
    """The numbers; those by type and by importance are of live memories."""

    by_status: Mapping[str, int]
    by_type: Mapping[str, int]
    by_importance: Mapping[str, int]
    permanent: int
    pinned: int
    core: int
    expiring_24h: int
    expiring_7d: int
    capacity: int
    days: list[Day]

    @property
    def live(self) -> int:
        return self.by_status[Status.LIVE]

    @property
    def over_capacity(self) -> int:
        """How many too many there are; the next sweep lets those go that may."""
        return max(0, self.live - self.capacity)


def overview(*, space: Space, now: datetime) -> Overview:
    """The space's numbers as of now, with the last 30 days."""
    policy = current_policy(space).document
    rows = Memory.objects.in_space(space)
    statuses = dict(rows.values_list("status").annotate(Count("pk")).order_by())
    live = rows.live().with_importance_now(decay=policy.decay, now=now)
    kinds = live.annotate(band=_band()).values("memory_type", "band").order_by()
    groups: list[Any] = list(
        kinds.annotate(
            memories=Count("pk"),
            permanent_ones=Count("pk", filter=Q(expires_at=None) | Q(pinned=True)),
            pinned_ones=Count("pk", filter=Q(pinned=True)),
            core_ones=Count("pk", filter=Q(core=True)),
            soon=Count("pk", filter=_goes_within(now, timedelta(hours=24))),
            this_week=Count("pk", filter=_goes_within(now, timedelta(days=7))),
        )
    )

    def by(name: str, keys: Mapping[str, float]) -> dict[str, int]:
        return {key: sum(g["memories"] for g in groups if g[name] == key) for key in keys}

    def total(name: str) -> int:
        return sum(group[name] for group in groups)

    return Overview(
        by_status={status.value: statuses.get(status, 0) for status in Status},
        by_type=by("memory_type", TYPE_IMPORTANCE),
        by_importance=by("band", BANDS),
        permanent=total("permanent_ones"),
        pinned=total("pinned_ones"),
        core=total("core_ones"),
        expiring_24h=total("soon"),
        expiring_7d=total("this_week"),
        capacity=policy.capacity,
        days=_days(space, now),
    )


def _goes_within(now: datetime, time: timedelta) -> Q:
    return Q(pinned=False, expires_at__lt=now + time)


def _band() -> Case:
    """The name of the band that `current_importance` lies in."""
    bounds = [
        When(current_importance__gte=bound, then=Value(name)) for name, bound in BANDS.items()
    ]
    return Case(*bounds, output_field=CharField())


def _days(space: Space, now: datetime) -> list[Day]:
    """Each of the last days, also those on which nothing happened; the last is today."""
    first = now.date() - timedelta(days=DAYS - 1)
    events = MemoryEvent.objects.in_space(space).filter(at__date__gte=first, action__in=CAME + WENT)
    counted = {
        day.date(): (came, went)
        for day, came, went in events.values_list(TruncDay("at"))
        .annotate(
            came=Count("pk", filter=Q(action__in=CAME)), went=Count("pk", filter=Q(action__in=WENT))
        )
        .order_by()
    }
    dates = [first + timedelta(days=number) for number in range(DAYS)]
    return [Day(day, *counted.get(day, (0, 0))) for day in dates]


def departures_by_reason(*, space: Space, now: datetime) -> dict[date, dict[str, int]]:
    """How many went into the bin on each of the last 30 days (UTC), by each BinReason; the last
    day is today. One statement."""
    first = now.astimezone(UTC).date() - timedelta(days=DAYS - 1)
    since = datetime.combine(first, time(), tzinfo=UTC)
    events = MemoryEvent.objects.in_space(space).filter(at__gte=since).departures()
    counted = events.values_list(TruncDay("at", tzinfo=UTC), "why").annotate(Count("pk")).order_by()
    dates = [first + timedelta(days=number) for number in range(DAYS)]
    days = {day: dict.fromkeys(BinReason.values, 0) for day in dates}
    for day, why, count in counted:
        if day.date() in days:
            days[day.date()][why] = count
    return days
