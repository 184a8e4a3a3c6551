"""Corrects the importance of a short message by how long its statements matter.

In the trained head's importance a fact of a lifetime and an event of the day may be equal. The
persistence, a facet, tells them apart. A long message says several things: it is not corrected.
"""

from collections.abc import Sequence

import numpy as np

from assessor.local.features import word_count
from assessor.local.head import MEMORY_TYPES, Array
from assessor.local.kinds import (
    is_appointment,
    is_meal,
    is_news,
    is_opinion,
    is_origin,
    is_trivia,
    may_be_mood,
    may_be_trait,
)
from memory.formulas.retention import Tiers

LONGEST = 20
"""Words of a message that is corrected."""

_DEFAULT = Tiers()
FOREVER, MONTH = _DEFAULT.permanent_threshold, _DEFAULT.medium_threshold
"""Least importance of lasting facts, and of news: the default policy's lifetimes."""
ABOVE = 0.05
"""The share of its importance that a raised message keeps above those, so that the order stays."""
APPOINTMENT = 0.65
"""Most importance of an appointment: it is kept until its day, and not forever."""
STRANGERS = 0.55
"""Most importance of trivia about strangers."""
MOMENT_SHARE = 0.3
"""The share of its importance that a mood or a meal keeps."""

# The least probabilities of P = 1 for a fact that lasts, and of P = 0.1 for a mood. A message that
# does not read like a fact needs more, one about the user's origin less.
LASTING, LASTING_ANYWAY, ORIGIN, PASSING = 0.5, 0.8, 0.3, 0.8
# Below this importance a message is small talk, whatever its persistence.
SAYS_SOMETHING = 0.35

_LASTING_TYPES = ("identity", "fact", "preference")
_SOON_DONE = ("goal", "todo", "decision")
_NOT_OPINIONS = (*_SOON_DONE, "event")


def is_short(text: str) -> bool:
    """Return whether the message has few enough words to be corrected."""
    return word_count(text) <= LONGEST


def corrected(
    importance: float, memory_type: str, told: Sequence[str], persistence: Array
) -> float:
    """Return the importance of a short message by what its statements are.

    `told` (n) are the sentences that tell something, `persistence` (n, 3) the probabilities of
    their P, the least P first. News count wherever they stand, the rest if all sentences agree.
    """
    if all(map(is_trivia, told)):
        return min(importance, STRANGERS)
    if any(map(is_news, told)):
        return max(importance, MONTH + ABOVE * importance)
    if _lasts(importance, memory_type, told, persistence):
        return max(importance, FOREVER + ABOVE * importance)
    momentary = all(may_be_mood(one) or is_meal(one) for one in told)
    if momentary and persistence[:, 0].min() >= PASSING:
        return importance * MOMENT_SHARE
    return min(importance, APPOINTMENT) if all(map(is_appointment, told)) else importance


def _lasts(importance: float, memory_type: str, told: Sequence[str], persistence: Array) -> bool:
    least = float(persistence[:, -1].min())
    if all(map(is_origin, told)):
        return least >= ORIGIN
    if importance <= SAYS_SOMETHING or memory_type in _SOON_DONE:
        return False
    trait = memory_type == "observation" and all(map(may_be_trait, told))
    return least >= (LASTING if trait or memory_type in _LASTING_TYPES else LASTING_ANYWAY)


def fitting_types(types: Array, told: Sequence[str]) -> Array:
    """Return the type probabilities (8,), 0 for those that the statements cannot have: an opinion
    is no goal, an origin is no event, and news are more than an observation."""
    if told and all(map(is_origin, told)):
        return _without(types, (*_NOT_OPINIONS, "observation"))
    if told and all(map(is_opinion, told)):
        return _without(types, _NOT_OPINIONS)
    if any(map(is_news, told)):
        return _without(types, ("observation", "todo"))
    return types


def types_of_lasting(types: Array) -> Array:
    """Return the type probabilities (8,) of a message that is kept forever: no observation is."""
    return _without(types, ("observation",))


def _without(types: Array, names: Sequence[str]) -> Array:
    left = np.where(np.isin(MEMORY_TYPES, names), np.float32(0), types)
    return np.asarray(left / left.sum(), dtype=np.float32)
