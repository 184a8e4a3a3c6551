"""The logistic model of changes, read from weights.npz; needs numpy only."""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np

from memory.reconciliation.changes.features import Array, may_tell_change, pair_features
from memory.text.statements import is_one_statement

WEIGHTS_FILE = "weights.npz"
SIGNS_SCALE = 0.3

# The languages of the training pairs. In other languages the signs mean nothing.
_ENGLISH = re.compile(
    r"\b(?:i|my|user|we|our|the|is|are|has|have|to|it|they|you|your|he|she|since|for|of|and|with"
    r"|now|not|no|on)\b",
    re.I,
)
_CHINESE, _OTHERS = re.compile("[\u4e00-\u9fff]"), re.compile("[\u3040-\u30ff\uac00-\ud7af]")


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


def outdated(new: str, known: Sequence[str]) -> int | None:
    """Return the index of the known statement that the new statement most likely makes outdated;
    None if it probably changes none. Raises EmbeddingError.
    """
    model, language = load_weights(), _language(new)
    if language is None:
        return None
    odds = {
        place: model.odds(*pair_features(old, new)) - float(model.least[language])
        for place, old in enumerate(known)
        if _language(old) == language and may_tell_change(old, new)
    }
    likeliest = max(odds, key=odds.__getitem__, default=None)
    return likeliest if likeliest is not None and odds[likeliest] > 0 else None


def _language(text: str) -> int | None:
    """Return 0 for English, 1 for Chinese, None for other languages, long texts and questions."""
    if not is_one_statement(text) or _OTHERS.search(text) or re.search("[?？]", text):
        return None
    if _CHINESE.search(text):
        return 1
    return 0 if _ENGLISH.search(text) else None


@functools.cache
def load_weights() -> Weights:
    """Read the committed weights, once per process."""
    file = resources.files(__package__).joinpath(WEIGHTS_FILE)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return Weights(**{name: arrays[name].astype(np.float32) for name in arrays.files})
