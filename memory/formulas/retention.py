"""Lifetime of a memory: tiers by importance, and protection from removal for capacity.

Writing or renewing a memory stores its `expires_at`; sweeps only compare it, and the lifetime bar
shows the rest. SQL twin: `retention_sql`.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.formulas.importance import clamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """The lifetime for each range of importance. Days may be fractions; 0 means removal at the next
    sweep.

    Defaults: seed 001, `calculate_ttl` and Configuration.
    """

    permanent_threshold: float = 0.7
    medium_threshold: float = 0.5
    low_threshold: float = 0.3
    medium_days: float = 30
    low_days: float = 7
    very_low_days: float = 3

    @property
    def steps(self) -> tuple[tuple[float, int | None], ...]:
        """Tuples (least importance, seconds to live or None for ever), the highest tier first."""
        return (
            (self.permanent_threshold, None),
            (self.medium_threshold, round(self.medium_days * 86400)),
            (self.low_threshold, round(self.low_days * 86400)),
            (-math.inf, round(self.very_low_days * 86400)),
        )


def ttl_seconds(importance: float, tiers: Tiers) -> int | None:
    """Return the seconds to live, or None for ever; importance equal to a threshold is in the upper
    tier.

    Source: seed 001, `calculate_ttl`. Raises ValueError for NaN.
    """
    for threshold, seconds in tiers.steps:
        if importance >= threshold:
            return seconds
    raise ValueError("importance is not a number")


def expires_at(start: datetime, importance: float, tiers: Tiers) -> datetime | None:
    """Return the expiry of a memory written, renewed or restored at `start` (UTC); None for
    never.
    """
    seconds = ttl_seconds(importance, tiers)
    return None if seconds is None else start + timedelta(seconds=seconds)


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


def protected(pinned: bool, created_at: datetime, now: datetime, grace_hours: float) -> bool:
    """Return True if removal for capacity must skip the memory: pinned, or within the grace period.

    Capacity itself is seed 003, section 5; the grace period is ours.
    """
    return pinned or created_at + timedelta(hours=grace_hours) > now
