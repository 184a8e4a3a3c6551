"""Forecast of removals: live memories by expiry day and tier, the eviction queue, and renewed
lifetimes.

The queue uses the sweep's own order (retention.statements), so its first memory is removed first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import (
    Case,
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    Subquery,
    Value,
    When,
)
from django.utils import timezone

from accounts.models import Space
from foundation.readers import Reader
from memory.models import Memory, MemoryEvent
from memory.models.history import Action, HistoryQuerySet
from memory.models.memories import MemoryQuerySet
from memory.policy import PolicyDocument
from memory.retention import statements

TIERS = ("very_low", "low", "medium", "permanent")
DAYS = {"today": 1, "tomorrow": 2, "week": 8, "month": 31}
"""Number of days until the end of each period, including today, in the reader's time zone. A memory
that "expires in 7 days" expires within a week."""
TIMES = (*DAYS, "later", "never")
IN_LINE = 30
RENEWALS, RENEWED = 10, 200
_NEVER = Q(pinned=True) | Q(expires_at__isnull=True)
_RENEWS = (Action.RENEWED, Action.REINFORCED, Action.RESTORED, Action.EXTENDED)


@dataclass(frozen=True)
class EvictionQueue:
    """The next memories to be evicted. `first` are the first ones, with `rank` and
    `current_importance`. The next sweep removes `over` memories. `room` is the number of memories
    that can be added before the first eviction. `new` memories count as the upper end of their
    tier.
    """

    first: list[Memory]
    live: int
    capacity: int
    over: int
    room: int
    new: int
    spared: Mapping[str, int]


def _goes_at(now: datetime) -> Case:
    """An expression for the time at which a live memory expires, as an index of TIMES. Pinned
    memories never expire.
    """
    return Case(
        When(_NEVER, then=Value(TIMES.index("never"))),
        *(
            When(expires_at__lt=end, then=Value(TIMES.index(name)))
            for name, end in _ends(now).items()
        ),
        default=Value(TIMES.index("later")),
        output_field=IntegerField(),
    )


def going(rows: MemoryQuerySet, goes: str, now: datetime) -> MemoryQuerySet:
    """Filter live memories to those that expire at this one of TIMES, with conditions that use an
    index."""
    if goes == "never":
        return rows.filter(_NEVER)
    ends = _ends(now)
    begins = dict(zip([*list(ends)[1:], "later"], ends.values(), strict=True))
    will = rows.filter(pinned=False, expires_at__isnull=False)
    if goes in begins:
        will = will.filter(expires_at__gte=begins[goes])
    return will.filter(expires_at__lt=ends[goes]) if goes in ends else will


def _ends(now: datetime) -> dict[str, datetime]:
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    return {name: midnight + timedelta(days=days) for name, days in DAYS.items()}


def _tier(document: PolicyDocument) -> Case:
    """An expression for a memory's tier, as an index of TIERS."""
    tiers = document.ttl
    return Case(
        When(importance__gte=tiers.permanent_threshold, then=Value(TIERS.index("permanent"))),
        When(importance__gte=tiers.medium_threshold, then=Value(TIERS.index("medium"))),
        When(importance__gte=tiers.low_threshold, then=Value(TIERS.index("low"))),
        default=Value(TIERS.index("very_low")),
        output_field=IntegerField(),
    )


def timeline(
    space: Space, reader: Reader, document: PolicyDocument, now: datetime
) -> dict[str, dict[str, int]]:
    """Return the number of live memories that expire at each of TIMES, by tier. Groups by a single
    number: grouping by two columns or by text would take half as long again.
    """
    rows = Memory.objects.in_space(space).readable_by(reader).live()
    place = _goes_at(now) * Value(len(TIERS)) + _tier(document)
    groups = rows.annotate(place=place).values_list("place").annotate(n=Count("*")).order_by()
    counts = {goes: dict.fromkeys(TIERS, 0) for goes in TIMES}
    for place_then, count in groups:
        goes, tier = divmod(place_then, len(TIERS))
        counts[TIMES[goes]][TIERS[tier]] = count
    return counts


def line(space: Space, reader: Reader, document: PolicyDocument, now: datetime) -> EvictionQueue:
    """Return the space's eviction queue, as it will be once the expired memories are gone."""
    rows = Memory.objects.in_space(space).readable_by(reader)
    unexpired = statements.unexpired(rows, now=now)
    spared = statements.spared(now)
    new = statements.raised(now=now, grace_hours=document.grace_hours)
    # An aggregate must not have the name of a column.
    counts = unexpired.aggregate(
        of_all=Count("*"),
        of_new=Count("pk", filter=new),
        **{f"of_{why}": Count("pk", filter=which) for why, which in spared.items()},
    )
    in_line = statements.evictable(
        unexpired,
        now=now,
        grace_hours=document.grace_hours,
        decay=document.decay,
        tiers=document.ttl.tiers,
        learn=document.importance.learn,
        first=IN_LINE,
    )
    return EvictionQueue(
        first=list(in_line.defer("search")[:IN_LINE]),
        live=counts["of_all"],
        capacity=document.capacity,
        **room_for(unexpired, document.capacity),
        new=counts["of_new"],
        spared={why: counts[f"of_{why}"] for why in spared},
    )


def room_for(unexpired: MemoryQuerySet, capacity: int) -> dict[str, int]:
    """Return the number of memories above the capacity of their users, and the number that the user
    with the most memories can add."""
    counts = [n for _user, n in unexpired.values_list("user_id").annotate(n=Count("pk")).order_by()]
    over = sum(max(0, n - capacity) for n in counts)
    return {"over": over, "room": max(0, capacity - max(counts, default=0))}


def renewals(space: Space, reader: Reader) -> list[MemoryEvent]:
    """Return the latest renewals of memories that can expire, each with the memory's current
    `expires_at`. Searches the latest RENEWED events of each kind, which an index finds."""
    events: HistoryQuerySet = MemoryEvent.objects.in_space(space).readable_by(reader)
    latest = [
        events.filter(action=action).order_by("-at", "-id").values("pk")[:RENEWED]
        for action in _RENEWS
    ]
    ends = (
        Memory.objects.in_space(space)
        .live()
        .filter(pk=OuterRef("memory_id"), expires_at__isnull=False)
    )
    rows = events.filter(pk__in=latest[0].union(*latest[1:], all=True)).filter(Exists(ends))
    rows = rows.annotate(expires_at=Subquery(ends.values("expires_at")[:1]))
    return list(rows.order_by("-at", "-id")[:RENEWALS])
