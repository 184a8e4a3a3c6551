"""Statistics of a space: active memories, additions and removals, distance from the capacity.

Three statements, whatever the size of the space.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import Case, Count, F, Func, IntegerField, When
from django.db.models.expressions import Combinable
from django.db.models.functions import TruncDate
from django.db.models.lookups import Exact

from accounts.models import Space
from foundation.moments import beginning_of, zone_of
from foundation.readers import SHARED, Reader
from memory.formulas.expressions import double
from memory.formulas.importance import TYPE_IMPORTANCE
from memory.models import BinReason, Memory, MemoryEvent, Status
from memory.models.history import Action, HistoryQuerySet
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy
from memory.retention.statements import excess_by_user

BANDS = {"critical": 0.9, "important": 0.7, "medium": 0.5, "low": 0.3, "little": 0.0}
"""The bands of current importance of seed 001, highest first, each with its lower bound."""

CAME = (Action.CREATED, Action.RESTORED, Action.APPROVED)
WENT = (Action.EXPIRED, Action.EVICTED, Action.DELETED, Action.REJECTED)
KINDS: Final = {
    **dict.fromkeys(CAME, "saved"),
    Action.USED: "used",
    **dict.fromkeys(
        (
            Action.REVISED, Action.REINFORCED, Action.RENEWED, Action.EXTENDED, Action.PINNED,
            Action.UNPINNED,
        ),
        "changed",
    ),
    **dict.fromkeys(WENT, "removed"),
}  # fmt: skip
"""The kind of each action that a timeline counts."""
DAYS = 30


@dataclass(frozen=True)
class Day:
    """Numbers of memories added and removed on a day, in the reader's time zone."""

    day: date
    came: int
    went: int


@dataclass(frozen=True)
class Overview:
    """The statistics of a space. Numbers by type and by importance count live memories. The
    capacity applies to each user.
    """

    by_status: Mapping[str, int]
    by_type: Mapping[str, int]
    by_importance: Mapping[str, int]
    permanent: int
    pinned: int
    core: int
    expiring_24h: int
    expiring_7d: int
    capacity: int
    over_capacity: int

    @property
    def live(self) -> int:
        """The number of live memories."""
        return self.by_status[Status.LIVE]


def overview(*, space: Space, now: datetime, reader: Reader = SHARED) -> Overview:
    """Return the numbers of the reader's memories as of now."""
    policy = current_policy(space).document
    rows = Memory.objects.in_space(space).readable_by(reader)
    others = rows.filter(status__in=[Status.REVIEW, Status.BINNED])
    statuses = dict(others.values_list("status").annotate(Count("pk")).order_by())
    live = rows.live().with_importance_now(decay=policy.decay, now=now)
    groups = _groups(live.annotate(band=_band(policy.decay.floor)), now)

    def by(name: str, keys: Mapping[str, float]) -> dict[str, int]:
        """Return the number of memories for each key."""
        return {key: sum(g.memories for g in groups if getattr(g, name) == key) for key in keys}

    def total(name: str) -> int:
        """Return the sum of this count over all groups."""
        return sum(getattr(group, name) for group in groups)

    return Overview(
        by_status={status.value: statuses.get(status, 0) for status in Status}
        | {Status.LIVE.value: total("memories")},
        by_type=by("memory_type", TYPE_IMPORTANCE),
        by_importance=by("band", BANDS),
        permanent=total("permanent"),
        pinned=total("pinned"),
        core=total("core"),
        expiring_24h=total("soon"),
        expiring_7d=total("this_week"),
        capacity=policy.capacity,
        over_capacity=_over_capacity(rows, total("memories"), policy.capacity),
    )


def _over_capacity(rows: MemoryQuerySet, live: int, capacity: int) -> int:
    """Return the number of memories above the capacity of their users; the next sweep removes those
    that are not protected."""
    return sum(excess_by_user(rows, capacity).values()) if live > capacity else 0


class _Group(NamedTuple):
    """Counts of the memories of one type in one band."""

    memory_type: str
    band: str
    memories: int
    permanent: int
    pinned: int
    core: int
    soon: int
    this_week: int


def _groups(live: MemoryQuerySet, now: datetime) -> list[_Group]:
    """Return counts of live memories by type and by `band`.

    From the columns behind `band`, PostgreSQL would overestimate the number of groups and sort all
    rows. OFFSET 0 hides these columns from the planner, which then counts while reading.
    """
    goes = Case(When(pinned=False, then=F("expires_at")))  # pinned memories never expire
    columns = ("memory_type", "band", "pinned", "core", "goes")
    rows = live.annotate(goes=goes).values(*columns).order_by()
    inner, values = rows.query.get_compiler(connection=connection).as_sql()
    statement = f"""
        SELECT memory_type, band, count(*), count(*) FILTER (WHERE goes IS NULL),
            count(*) FILTER (WHERE pinned), count(*) FILTER (WHERE core),
            count(*) FILTER (WHERE goes < %s), count(*) FILTER (WHERE goes < %s)
        FROM ({inner} OFFSET 0) AS memories GROUP BY memory_type, band"""  # noqa: S608 - put together from our own parts; values are parameters
    with connection.cursor() as cursor:
        cursor.execute(statement, [now + timedelta(hours=24), now + timedelta(days=7), *values])
        names = sorted(BANDS, key=BANDS.__getitem__)
        return [_Group(kind, names[band], *rest) for kind, band, *rest in cursor.fetchall()]


def _band(floor: float) -> Case:
    """An expression for how many bounds of BANDS above 0 `current_importance` has reached.

    Decay leaves at least the share `floor` of the base importance. If both values are in the same
    band, the decay need not be computed, which saves half of the work.
    """
    base, least = _reached(F("importance")), _reached(F("importance") * double(floor))
    return Case(
        When(Exact(base, least), then=base),
        default=_reached(F("current_importance")),
        output_field=IntegerField(),
    )


def _reached(importance: Combinable) -> Func:
    """An expression for the number of bounds reached; a CASE would compute the importance again for
    each bound."""
    bounds = ",".join(map(str, sorted(BANDS.values())[1:]))
    template = f"%(function)s(%(expressions)s, '{{{bounds}}}'::double precision[])"
    return Func(importance, function="width_bucket", template=template, output_field=IntegerField())


def came_and_went(*, space: Space, now: datetime, reader: Reader = SHARED) -> list[Day]:
    """Return the last 30 days, including days without changes; the last one is today."""
    kinds = dict.fromkeys(CAME, "came") | dict.fromkeys(WENT, "went")
    events = MemoryEvent.objects.in_space(space).readable_by(reader)
    days = _by_day(events, "action", kinds, now)
    return [Day(day, **counts) for day, counts in days.items()]


def changes_by_kind(
    *, space: Space, now: datetime, reader: Reader = SHARED
) -> dict[date, dict[str, int]]:
    """Return the numbers of events by KINDS on each of the last 30 days; the last day is today."""
    events = MemoryEvent.objects.in_space(space).readable_by(reader)
    return _by_day(events, "action", KINDS, now)


def removals_by_reason(
    *, space: Space, now: datetime, reader: Reader = SHARED
) -> dict[date, dict[str, int]]:
    """Return the number of removals on each of the last 30 days, by BinReason; the last day is
    today."""
    events = MemoryEvent.objects.in_space(space).readable_by(reader).removals()
    return _by_day(events, "why", {why: why for why in BinReason.values}, now)


def _by_day(
    events: HistoryQuerySet, column: str, kinds: Mapping[Any, str], now: datetime
) -> dict[date, dict[str, int]]:
    """Return the numbers of events of each kind on the last 30 days, in the zone of `now`. `kinds`
    names the kind of each value of the column. One statement."""
    first, zone = now.date() - timedelta(days=DAYS - 1), zone_of(now)
    days = {
        first + timedelta(days=number): dict.fromkeys(kinds.values(), 0) for number in range(DAYS)
    }
    recent = events.filter(at__gte=beginning_of(first, zone), **{f"{column}__in": list(kinds)})
    counted = recent.values_list(TruncDate("at", tzinfo=zone), column).annotate(Count("pk"))
    for day, value, count in counted.order_by():
        if day in days:  # not one that a faster clock has begun
            days[day][kinds[value]] += count
    return days
