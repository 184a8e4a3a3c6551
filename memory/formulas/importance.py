"""Importance of a memory: base importance, set when it is written, and time coefficient.

The base is stored and never changes by itself. The values that depend on the clock are computed
from it at each read and never written back, so nothing decays twice. What is learned from use is a
separate adjustment, computed from stored counts. SQL twin: `importance_sql`.
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
"""Importance of a memory that was not assessed, by its type, in the order of seed 002, Scope."""

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

ADJUSTMENT_BOUND: Final = 0.15
ADJUSTMENT_WEIGHTS: Final[Mapping[str, float]] = {
    "used": 1.0,
    "unused": -0.25,
    "confirmed": 2.0,
    "objected": -2.0,
}
"""The weight of one event of each kind, for or against a memory."""
ADJUSTMENT_DOUBT: Final = 4.0
"""Weight of the events that an adjustment needs to reach half of its bound."""


def clamp(value: float) -> float:
    """Return the value, clamped to 0..1. Raises ValueError for NaN."""
    if math.isnan(value):
        raise ValueError("not a number")
    return max(0.0, min(1.0, value))


def emotion(valence: float, intensity: float) -> float:
    """Return E in 0..1 from valence (-1..1) and intensity (0..1); negative valence counts double.

    Source: seed 003, section 2.2. Raises ValueError for NaN.
    """
    if math.isnan(valence):
        raise ValueError("not a number")
    return clamp(intensity * (NEGATIVE_EMOTION if valence < 0 else POSITIVE_EMOTION))


def base_importance(
    persistence: float, emotion: float, information: float, judgement: float
) -> float:
    """Return the importance in 0..1 from the facets P, E, I and J, each expected in 0..1.

    Source: seed 003, section 3. The sum is clamped to 0..1, as there. Raises ValueError for NaN.
    """
    total = clamp(
        PERSISTENCE_WEIGHT * persistence
        + JUDGEMENT_WEIGHT * judgement
        + EMOTION_WEIGHT * emotion
        + INFORMATION_WEIGHT * information
    )
    # Without rounding, facets that sum to exactly 0.5 would give 0.49999999999999994: a lower tier.
    return round(total, IMPORTANCE_DIGITS)


def age_days(since: datetime, now: datetime) -> float:
    """Return the days, with their fraction, from `since` to `now`; 0 when `since` is later.

    Both are aware and in UTC, as Django returns them. For the time coefficient `since` is
    `last_active_at`, or `created_at` if that is None (seed 003, section 4).
    """
    return max(0.0, (now - since) / timedelta(days=1))


def effective_age(age_days: float, use_count: int) -> float:
    """Return the age in days, reduced for a memory that was sent to the model `use_count` times.

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
    """Return the factor by which time reduces importance: 1 when just used, falling towards
    `floor`.

    Core memories (P = 1), and pinned ones, for which the caller sets `core` too, keep exactly 1.
    `scale_days` is above 0. Source: seed 003, section 4.1.
    """
    if core:
        return 1.0
    return floor + (1 - floor) * math.exp(-effective_age(age_days, use_count) / scale_days)


def current_importance(importance: float, time_coef: float) -> float:
    """Return the importance as of now, in 0..1. Source: seed 003, section 5."""
    return importance * time_coef


def adjustment(used: int, unused: int, confirmed: int, objected: int) -> float:
    """Return what was learned from use and from people's decisions, within ±ADJUSTMENT_BOUND.

    The arguments count events. The result is the bound times the weighted mean of the verdicts, 1
    for and -1 against the memory, together with ADJUSTMENT_DOUBT neutral verdicts of 0. So each
    further event changes less, and contradicting events cancel out. Ours.
    """
    weights = ADJUSTMENT_WEIGHTS
    rise = weights["used"] * used + weights["confirmed"] * confirmed
    fall = -weights["unused"] * unused - weights["objected"] * objected
    return ADJUSTMENT_BOUND * (rise - fall) / (rise + fall + ADJUSTMENT_DOUBT)


def effective_importance(current_importance: float, adjustment: float) -> float:
    """Return the importance that ranks a memory where the policy learns, in 0..1. Ours."""
    return clamp(current_importance + adjustment)


def reinforced(old: float, new: float) -> float:
    """Return the base importance, in 0..1, of a restated memory: the greater of the two, raised a
    tenth of the way to 1. The tenth is ours; raising the old memory is seed 003's.
    """
    greater = max(old, new)
    return greater + REINFORCEMENT * (1 - greater)
