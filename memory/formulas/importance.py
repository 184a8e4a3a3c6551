"""How much a memory matters: base importance when it is written, time coefficient when it is asked.

The base is stored and never changes by itself. What depends on the clock is computed from it each
time and never written back, so nothing decays twice. SQL twin: `importance_sql`.
"""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

TYPE_IMPORTANCE: Final[Mapping[str, float]] = {
    "identity": 1.0,
    "goal": 0.9,
    "decision": 0.8,
    "todo": 0.8,
    "preference": 0.7,
    "fact": 0.6,
    "event": 0.4,
    "observation": 0.3,
}
"""Importance of a memory nobody judged, by its type, in the order of seed 002, Scope."""

MEMORY_TYPES: Final = tuple(TYPE_IMPORTANCE)

DEFAULT_TYPE: Final = "observation"
"""The type of a memory written without one, and of legacy rows (seed 002, C-05)."""

PERSISTENCE_WEIGHT: Final = 0.60
JUDGEMENT_WEIGHT: Final = 0.20
EMOTION_WEIGHT: Final = 0.15
INFORMATION_WEIGHT: Final = 0.05
IMPORTANCE_DIGITS: Final = 12

NEGATIVE_EMOTION: Final = 1.0
POSITIVE_EMOTION: Final = 0.5

TIME_COEF_FLOOR: Final = 0.8
REINFORCEMENT: Final = 0.1
TIME_COEF_SCALE_DAYS: Final = 30.0


def clamp(value: float) -> float:
    """The value, cut to 0..1. Raises ValueError for NaN, which no cut can repair."""
    if math.isnan(value):
        raise ValueError("not a number")
    return max(0.0, min(1.0, value))


def emotion(valence: float, intensity: float) -> float:
    """E in 0..1 from valence (-1..1) and intensity (0..1); the negative counts double.

    Source: seed 003, section 2.2. Raises ValueError for NaN.
    """
    if math.isnan(valence):
        raise ValueError("not a number")
    return clamp(intensity * (NEGATIVE_EMOTION if valence < 0 else POSITIVE_EMOTION))


def base_importance(
    persistence: float, emotion: float, information: float, judgement: float
) -> float:
    """Importance in 0..1 from the facets P, E, I and J, each meant to be in 0..1.

    Source: seed 003, section 3. The sum is cut to 0..1, as there. Raises ValueError for NaN.
    """
    total = clamp(
        PERSISTENCE_WEIGHT * persistence
        + JUDGEMENT_WEIGHT * judgement
        + EMOTION_WEIGHT * emotion
        + INFORMATION_WEIGHT * information
    )
    # Facets that make exactly 0.5 would make 0.49999999999999994, and the life of a lower tier.
    return round(total, IMPORTANCE_DIGITS)


def age_days(since: datetime, now: datetime) -> float:
    """Days, with their fraction, from `since` to `now`; 0 when `since` lies ahead.

    Both are aware and in UTC, as Django hands them out. For the time coefficient `since` is
    `last_active_at`, or `created_at` while there is none (seed 003, section 4).
    """
    return max(0.0, (now - since) / timedelta(days=1))


def effective_age(age_days: float, use_count: int) -> float:
    """Age in days as felt by a memory that was put into a prompt `use_count` times.

    Source: seed 003, section 4.1.
    """
    return age_days / (1 + math.log(1 + use_count))


def time_coef(
    age_days: float,
    use_count: int,
    *,
    core: bool,
    floor: float = TIME_COEF_FLOOR,
    scale_days: float = TIME_COEF_SCALE_DAYS,
) -> float:
    """What time leaves of the importance: from 1 when just used, towards `floor` when forgotten.

    Core memories (P = 1), and pinned ones, for which the caller sets `core` too, keep exactly 1.
    `scale_days` is above 0. Source: seed 003, section 4.1.
    """
    if core:
        return 1.0
    return floor + (1 - floor) * math.exp(-effective_age(age_days, use_count) / scale_days)


def current_importance(importance: float, time_coef: float) -> float:
    """Importance as of now, in 0..1. Source: seed 003, section 5."""
    return importance * time_coef


def reinforced(old: float, new: float) -> float:
    """The base importance, in 0..1, of what was said again: the greater of the two, and a tenth of
    the way further to 1. How far is ours; that a restatement raises the old memory is seed 003's.
    """
    greater = max(old, new)
    return greater + REINFORCEMENT * (1 - greater)
