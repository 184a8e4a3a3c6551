"""Forecast of a memory's importance, if it is not used and if it is used today.

Applies the Python versions of the formulas that recall and the sweeps use to future days. Pages
draw the forecast with memory.retention.charts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.formulas.importance import age_days, current_importance, time_coef
from memory.models import Memory
from memory.policy import DecayPolicy, PolicyDocument

POINTS = 60
LASTING_DAYS = 90
"""Forecast period for memories that never expire."""
MARKS = (0, 1, 3, 7, 14, 30, 60, 90, 180, 365)
"""Days in the table beside the chart."""


@dataclass(frozen=True)
class Course:
    """Points (days from now, importance then), up to the expiry or the end of the chart."""

    points: Sequence[tuple[float, float]]
    goes_at: datetime | None
    """None if the memory never expires."""

    @property
    def last(self) -> tuple[float, float]:
        """The last point of the curve."""
        return self.points[-1]


@dataclass(frozen=True)
class Mark:
    """A day of the table and the importance on that day; None after the expiry."""

    day: int
    unused: float | None
    used: float | None


@dataclass(frozen=True)
class Curve:
    """Both courses over the same `days`."""

    days: float
    unused: Course
    used: Course
    marks: Sequence[Mark]
    fades: bool
    """False for memories that do not fade: core and pinned ones."""


@dataclass(frozen=True)
class _Clock:
    """The times and counts from which importance and lifetime are computed."""

    used_at: datetime
    use_count: int
    goes_at: datetime | None


def curve(memory: Memory, policy: PolicyDocument, now: datetime) -> Curve:
    """Return a live memory's forecast under the policy in effect."""
    as_it_is = _Clock(
        memory.last_active_at or memory.created_at,
        memory.use_count,
        _end(memory.expires_at, memory),
    )
    renewed = memory.expiry_from(now, policy.ttl.tiers)
    ends = renewed if policy.ttl.renew_on_use else memory.expires_at
    used_today = _Clock(now, memory.use_count + 1, _end(ends, memory))
    days = max(_days(as_it_is, now), _days(used_today, now))

    def course(clock: _Clock) -> Course:
        reach = min(days, _days(clock, now))
        ahead = [reach * step / POINTS for step in range(POINTS + 1)]
        points = [(day, _weight(memory, clock, policy.decay, now, day)) for day in ahead]
        return Course(points, clock.goes_at)

    def on(clock: _Clock, day: int) -> float | None:
        """Return the importance on this day, or None after the expiry."""
        gone = clock.goes_at is not None and now + timedelta(days=day) >= clock.goes_at
        return None if gone else _weight(memory, clock, policy.decay, now, day)

    return Curve(
        days=days,
        unused=course(as_it_is),
        used=course(used_today),
        marks=[Mark(d, on(as_it_is, d), on(used_today, d)) for d in MARKS if d <= days],
        fades=not (memory.core or memory.pinned),
    )


def _end(moment: datetime | None, memory: Memory) -> datetime | None:
    return None if memory.pinned else moment


def _days(clock: _Clock, now: datetime) -> float:
    if clock.goes_at is None:
        return LASTING_DAYS
    return max(0.0, (clock.goes_at - now) / timedelta(days=1))


def _weight(memory: Memory, clock: _Clock, decay: DecayPolicy, now: datetime, day: float) -> float:
    # Days rather than a datetime: a lifetime may exceed the calendar's range.
    coefficient = time_coef(
        age_days(clock.used_at, now) + day,
        clock.use_count,
        core=memory.core or memory.pinned,
        floor=decay.floor,
        scale_days=decay.scale_days,
    )
    return current_importance(memory.importance, coefficient)
