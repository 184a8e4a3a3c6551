"""The logistic model of changes, read from weights.npz; needs numpy only."""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import NamedTuple

import numpy as np

from memory.reconciliation.changes.features import Array, may_tell_change, pair_features
from memory.text.statements import is_one_statement
from memory.text.text_similarity import meaning
from reader import language_of

WEIGHTS_FILE = "weights.npz"
SIGNS_SCALE = 0.3
POSSIBLE = -1.0
"""The log-odds from which a statement may tell a change. Of the pairs in reader/examples, two
thirds of the changes reach it, and a sixth of the others."""
_SEPARATORS = re.compile(r"[:,;，、；]| and |和")

# The languages of the training pairs. In other languages a change is only possible.
_LANGUAGES = {"en": 0, "zh": 1}


@dataclass(frozen=True)
class Weights:
    """The weights (d,) with their bias, the scales (k,) of the signs, and the minimum log-odds of a
    change in English and in Chinese.
    """

    mean: Array
    deviation: Array
    weights: Array
    bias: Array
    least: Array

    def odds(self, signs: Array, rest: Array) -> float:
        """Return the log-odds that the new statement of a pair makes the old one outdated."""
        scaled = (signs - self.mean) / self.deviation * np.float32(SIGNS_SCALE)
        return float(np.hstack([scaled, rest]) @ self.weights + self.bias[0])


class Change(NamedTuple):
    """The index of the known statement that a new one may make outdated, and whether it probably
    does."""

    place: int
    is_probable: bool


def likeliest_change(new: str, known: Sequence[str]) -> Change | None:
    """Return the change that the new statement most likely tells; None if it tells none. Raises
    EmbeddingError."""
    model, language = load_weights(), _LANGUAGES.get(language_of(new))
    odds = {
        place: max(model.odds(*pair_features(part, new)) for part in (old, *_parts(old, new)))
        for place, old in enumerate(known)
        if _is_statement(new) and _is_statement(old) and may_tell_change(old, new)
    }
    place = max(odds, key=odds.__getitem__, default=None)
    if place is None or odds[place] < POSSIBLE:
        return None
    least = float(model.least[language]) if language is not None else np.inf
    both = language_of(known[place]) == language_of(new)
    return Change(place, both and odds[place] > least)


def _parts(old: str, new: str) -> list[str]:
    """Return the parts of a list that have a word of the new statement: "Ben (9)"."""
    parts, said = _SEPARATORS.split(old), meaning(new)
    return [part for part in parts if meaning(part) & said] if len(parts) > 1 else []


def _is_statement(text: str) -> bool:
    return is_one_statement(text) and not re.search("[?？]", text)


@functools.cache
def load_weights() -> Weights:
    """Read the committed weights, once per process."""
    file = resources.files(__package__).joinpath(WEIGHTS_FILE)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return Weights(**{name: arrays[name].astype(np.float32) for name in arrays.files})
