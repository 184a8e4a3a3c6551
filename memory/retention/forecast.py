"""What goes when: live memories by the day they expire and by tier, the line of those that capacity
would take, and whose lifetimes began anew.

The line is the sweep's own (retention.statements), so that who stands first in it goes first.
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

from memory.models import Memory, MemoryEvent, PolicyVersion, Space
from memory.models.history import Action, HistoryQuerySet
from memory.models.memories import MemoryQuerySet
from memory.policy import PolicyDocument
from memory.retention import statements

TIERS = ("very_low", "low", "medium", "permanent")
DAYS = {"today": 1, "tomorrow": 2, "week": 7, "month": 30}
"""Until the end of which day from today on, in the reader's time zone."""
TIMES = (*DAYS, "later", "never")
IN_LINE = 30
RENEWALS, RENEWED = 10, 200
_NEVER = Q(pinned=True) | Q(expires_at__isnull=True)
_RENEWS = (Action.REINFORCED, Action.RESTORED, Action.EXTENDED)


@dataclass(frozen=True)
class EvictionQueue:
    """Who is next to go at capacity. `first` has `rank` and `current_importance`; `over` of them go
    at the next sweep, `room` is how many more there may be before the first one goes."""

    first: list[Memory]
    live: int
    capacity: int
    spared: Mapping[str, int]

    @property
    def over(self) -> int:
        return max(0, self.live - self.capacity)

    @property
    def room(self) -> int:
        return max(0, self.capacity - self.live)


def _goes_at(now: datetime) -> Case:
    """When a live memory goes: a place in TIMES. What is pinned never does."""
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
    """Those of these live memories that go at this one of TIMES, as an index finds them."""
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
    """A place in TIERS."""
    tiers = document.ttl
    return Case(
        When(importance__gte=tiers.permanent_threshold, then=Value(TIERS.index("permanent"))),
        When(importance__gte=tiers.medium_threshold, then=Value(TIERS.index("medium"))),
        When(importance__gte=tiers.low_threshold, then=Value(TIERS.index("low"))),
        default=Value(TIERS.index("very_low")),
        output_field=IntegerField(),
    )


def timeline(space: Space, document: PolicyDocument, now: datetime) -> dict[str, dict[str, int]]:
    """How many live memories go at each of TIMES, by tier. (Groups by one number: by two or by
    words it takes half as long again.)"""
    rows = Memory.objects.in_space(space).live()
    place = _goes_at(now) * Value(len(TIERS)) + _tier(document)
    groups = rows.annotate(place=place).values_list("place").annotate(n=Count("*")).order_by()
    counts = {goes: dict.fromkeys(TIERS, 0) for goes in TIMES}
    for place_then, count in groups:
        goes, tier = divmod(place_then, len(TIERS))
        counts[TIMES[goes]][TIERS[tier]] = count
    return counts


def line(space: Space, document: PolicyDocument, now: datetime) -> EvictionQueue:
    """Who goes next for want of room, once what has expired is gone."""
    unexpired = statements.unexpired(Memory.objects.in_space(space), now=now)
    spared = statements.spared(now=now, grace_hours=document.grace_hours)
    # An aggregate's name may not be a column's.
    counts = unexpired.aggregate(
        of_all=Count("*"),
        **{f"of_{why}": Count("pk", filter=which) for why, which in spared.items()},
    )
    in_line = statements.evictable(
        unexpired,
        now=now,
        grace_hours=document.grace_hours,
        decay=document.decay,
        first=IN_LINE,
    )
    return EvictionQueue(
        first=list(in_line.defer("search")[:IN_LINE]),
        live=counts["of_all"],
        capacity=document.capacity,
        spared={why: counts[f"of_{why}"] for why in spared},
    )


def renewals(space: Space) -> list[MemoryEvent]:
    """The latest moments at which a lifetime that ends began anew, each with `expires_at` as it is
    now. A use renews if the policy of that time says so. They are looked for among the latest
    RENEWED of each kind, which an index finds."""
    renewing = PolicyVersion.objects.filter(space=space, document__ttl__renew_on_use=True)
    events: HistoryQuerySet = MemoryEvent.objects.in_space(space)
    used = events.filter(action=Action.USED, policy_version__in=renewing.values("version"))
    latest = [
        rows.order_by("-at", "-id").values("pk")[:RENEWED]
        for rows in (used, *(events.filter(action=action) for action in _RENEWS))
    ]
    ends = (
        Memory.objects.in_space(space)
        .live()
        .filter(pk=OuterRef("memory_id"), expires_at__isnull=False)
    )
    rows = events.filter(pk__in=latest[0].union(*latest[1:], all=True)).filter(Exists(ends))
    rows = rows.annotate(expires_at=Subquery(ends.values("expires_at")[:1]))
    return list(rows.order_by("-at", "-id")[:RENEWALS])
