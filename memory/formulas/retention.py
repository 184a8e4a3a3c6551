"""How long a memory stays: tiers of life by importance, and who is safe when space runs out.

Writing or renewing a memory stores its `expires_at`; sweeps only compare it, and the tide line
shows what is left. SQL twin: `retention_sql`.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.formulas.importance import clamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """Which importance lives how long. Days may be fractions; with 0 it goes at the next sweep.

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
        """(least importance, seconds to live or None for ever), the highest tier first."""
        return (
            (self.permanent_threshold, None),
            (self.medium_threshold, round(self.medium_days * 86400)),
            (self.low_threshold, round(self.low_days * 86400)),
            (-math.inf, round(self.very_low_days * 86400)),
        )


def ttl_seconds(importance: float, tiers: Tiers) -> int | None:
    """Seconds to live, or None for ever; an importance right on a threshold is in the upper tier.

    Source: seed 001, `calculate_ttl`. Raises ValueError for NaN.
    """
    for threshold, seconds in tiers.steps:
        if importance >= threshold:
            return seconds
    raise ValueError("importance is not a number")


def expires_at(start: datetime, importance: float, tiers: Tiers) -> datetime | None:
    """When a memory that was written, renewed or restored at `start` (UTC) goes; None for never."""
    seconds = ttl_seconds(importance, tiers)
    return None if seconds is None else start + timedelta(seconds=seconds)


def is_expired(expires_at: datetime | None, now: datetime) -> bool:
    """Whether its time is up; a memory goes at the very moment it expires."""
    return expires_at is not None and expires_at <= now


def life_left(start: datetime, expires_at: datetime | None, now: datetime) -> float | None:
    """The share of its life that is left, in 0..1, or None for a permanent memory."""
    if expires_at is None:
        return None
    if expires_at <= start:
        return 0.0
    return clamp((expires_at - now) / (expires_at - start))


def protected(pinned: bool, created_at: datetime, now: datetime, grace_hours: float) -> bool:
    """Whether capacity must spare it: pinned, or younger than the grace period.

    Capacity itself is seed 003, section 5; the grace period is ours.
    """
    return pinned or created_at + timedelta(hours=grace_hours) > now
