"""Lifetime of a memory: tiers by importance, and the place of a new memory in a full space.

Writing or renewing a memory stores its `expires_at`; sweeps only compare it, and the lifetime bar
shows the rest. SQL twin: `retention_sql`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from memory.formulas.importance import clamp

EVENT_DAYS: Final[Mapping[str, int]] = {"day": 2, "month": 32, "year": 367}
"""Days from the first moment of an event until a day after it, at most, by its precision."""


LATEST_DAY: Final = timedelta(hours=12)
"""The time from the beginning of a day in UTC until it has begun everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """The lifetime for each range of importance, or of persistence (the facet P) for a memory that
    has facets. Days may be fractions; 0 means removal at the next sweep.

    Defaults: seed 001, `calculate_ttl` and Configuration. P = 1, 0.5 and 0.1 are the scale of seed
    003, section 2.1; the borders are between them.
    """

    permanent_threshold: float = 0.7
    medium_threshold: float = 0.5
    low_threshold: float = 0.3
    medium_days: float = 30
    low_days: float = 7
    very_low_days: float = 3
    by_persistence: bool = True
    permanent_persistence: float = 0.75
    medium_persistence: float = 0.3

    @property
    def steps(self) -> tuple[tuple[float, int | None], ...]:
        """Tuples (least importance, seconds to live or None for ever), the highest tier first."""
        return (
            (self.permanent_threshold, None),
            (self.medium_threshold, round(self.medium_days * 86400)),
            (self.low_threshold, round(self.low_days * 86400)),
            (-math.inf, round(self.very_low_days * 86400)),
        )

    @property
    def persistence_steps(self) -> tuple[tuple[float, int | None], ...]:
        """Tuples (least P, seconds to live or None for ever), the highest first."""
        return (
            (self.permanent_persistence, None),
            (self.medium_persistence, round(self.medium_days * 86400)),
            (-math.inf, round(self.very_low_days * 86400)),
        )

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """Tuples (upper end, least importance) of the tiers, the highest first."""
        thresholds = [threshold for threshold, _ in self.steps]
        return tuple(zip([1.0, *thresholds], thresholds, strict=False))


def ttl_seconds(importance: float, tiers: Tiers, persistence: float | None = None) -> int | None:
    """Return the seconds to live, or None for ever; a value equal to a threshold is in the upper
    tier. `persistence` is the facet P of a memory that has facets.

    Source: seed 001, `calculate_ttl`; seed 003, section 2.1, for P. Raises ValueError for NaN.
    """
    value, steps = importance, tiers.steps
    if persistence is not None and tiers.by_persistence:
        value, steps = persistence, tiers.persistence_steps
    for threshold, seconds in steps:
        if value >= threshold:
            return seconds
    raise ValueError("importance is not a number")


def expires_at(
    start: datetime, importance: float, tiers: Tiers, persistence: float | None = None
) -> datetime | None:
    """Return the expiry of a memory written, renewed or restored at `start` (UTC); None for
    never.
    """
    seconds = ttl_seconds(importance, tiers, persistence)
    return None if seconds is None else start + timedelta(seconds=seconds)


def after_event(
    expiry: datetime | None, start: datetime, event_at: datetime | None, precision: str
) -> datetime | None:
    """Return the expiry of a memory that may name an event: a coming event is not forgotten before
    it is over. `start` is the start of the lifetime, `event_at` the date of the event, which begins
    up to LATEST_DAY later. Ours.
    """
    if expiry is None or event_at is None or event_at + LATEST_DAY <= start:
        return expiry
    return max(expiry, event_at + timedelta(days=EVENT_DAYS[precision]))


def is_expired(expires_at: datetime | None, now: datetime) -> bool:
    """Return True from the very moment of `expires_at`; False for a permanent memory."""
    return expires_at is not None and expires_at <= now


def life_left(start: datetime, expires_at: datetime | None, now: datetime) -> float | None:
    """Return the share of the lifetime that is left, in 0..1, or None for a permanent memory."""
    if expires_at is None:
        return None
    if expires_at <= start:
        return 0.0
    return clamp((expires_at - now) / (expires_at - start))


def in_grace(created_at: datetime, now: datetime, grace_hours: float) -> bool:
    """Return True while a memory is new, so that `contested_importance` raises it."""
    return created_at + timedelta(hours=grace_hours) > now


def contested_importance(importance: float, current: float, tiers: Tiers, *, new: bool) -> float:
    """Return the importance that decides which memory a full space removes: the current one, or for
    a new memory the upper end of its tier.

    So a new memory with 0.01 counts as 0.3: it outlasts older memories of its tier, but not more
    important ones. Capacity itself is seed 003, section 5; the grace period is ours. Raises
    ValueError for NaN.
    """
    if not new:
        return current
    for upper_end, threshold in tiers.ranges:
        if importance >= threshold:
            return upper_end
    raise ValueError("importance is not a number")
