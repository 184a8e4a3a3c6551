"""Two small logistic models: does any memory help with what was said, and does this one?

The relevance is the product of both probabilities. The first model reads the utterance, and the
signals of the strongest memory found. The second reads one memory's signals beside the strongest,
and whether the utterance asks: a remark helps fewer memories to stand out than a question.
Their weights, and those of the utterance's features, are in weights.npz.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
import numpy.typing as npt

from memory.recall.relevance.utterances import chinese_share, features, is_question

Vector = npt.NDArray[np.float64]

WEIGHTS_FILE = "weights.npz"
# The usual similarity of a small space is uncertain, so five memories of a typical space are added
# to it. The two numbers are MiniLM's mean and deviation for unrelated texts.
ADDED, TYPICAL_MEAN, TYPICAL_DEVIATION = 5.0, 0.1, 0.1
# Log-odds of an utterance beyond this are no surer.
SUREST = 6.0


@dataclass(frozen=True)
class Signals:
    """The numbers of one memory for one question: its signals, and the mean (`usual`), standard
    deviation (`spread`) and number (`among`) of the similarities in its space."""

    semantic: float
    lexical: float
    speaker: float
    usual: float
    spread: float
    among: int

    @property
    def margin(self) -> float:
        """The similarity above the usual one."""
        total = self.among + ADDED
        return self.semantic - (self.usual * self.among + TYPICAL_MEAN * ADDED) / total

    @property
    def deviations(self) -> float:
        """The margin in standard deviations."""
        variances = self.spread**2 * self.among + TYPICAL_DEVIATION**2 * ADDED
        return self.margin / math.sqrt(variances / (self.among + ADDED))

    @property
    def strength(self) -> float:
        """A rough order of memories, whatever the ranking profile is."""
        return self.margin + 1.5 * self.lexical


@dataclass(frozen=True)
class Weights:
    """The weights of the utterance's features and of both models; the last is the constant."""

    utterance: Vector
    any_memory: Vector
    this_memory: Vector


def relevance_of(
    text: str, vector: npt.NDArray[np.float32], signals: Sequence[Signals]
) -> list[float]:
    """Return each memory's probability of helping with the text, in 0..1; `vector` is the text's
    MiniLM vector."""
    if not signals:
        return []
    weights, share = load_weights(), chinese_share(text)
    need = float(log_odds(features([text], vector[None]), weights.utterance)[0])
    helps = probability(log_odds(any_features(need, signals, share)[None], weights.any_memory))
    rows = this_features(need, signals, share, asks=is_question(text))
    this = probability(log_odds(rows, weights.this_memory))
    relevances: list[float] = (helps * this).tolist()
    return relevances


def any_features(need: float, signals: Sequence[Signals], share: float) -> Vector:
    """Return the features of the first model; `need` are the utterance's log-odds of needing a
    memory, `share` is its share of Chinese characters."""
    sure = _sure(need)
    best = _features(max(signals, key=lambda one: one.strength), share)
    return np.array([sure, sure * best[0], sure * best[2], *best])


def this_features(need: float, signals: Sequence[Signals], share: float, *, asks: bool) -> Vector:
    """Return the features of the second model, a row for each memory."""
    sure, asked = _sure(need), float(asks)
    best = _features(max(signals, key=lambda one: one.strength), share)
    rows = []
    for one in signals:
        row = _features(one, share)
        beside = [best[0] - row[0], best[2] - row[2]]
        rows.append([*row, *beside, sure, asked, asked * row[0], asked * row[2], sure * row[0]])
    return np.array(rows)


def _sure(need: float) -> float:
    return max(-SUREST, min(SUREST, need)) / 2


def _features(one: Signals, share: float) -> list[float]:
    """Return numbers of similar size. MiniLM hardly knows Chinese, so its share of similarity
    counts less."""
    words, size = math.sqrt(one.lexical), math.log1p(one.among)
    return [
        4 * one.margin * (1 - share),
        one.deviations / 2 * (1 - share),
        4 * words,
        4 * words * share,
        4 * one.lexical,
        one.speaker,
        words * size / 2,
        size / 4,
        share,
    ]


def log_odds(rows: Vector, weights: Vector) -> Vector:
    """Return the log-odds of each row of features."""
    return np.asarray(rows @ weights[:-1] + weights[-1])


def probability(odds: Vector) -> Vector:
    """Return the probabilities of these log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30, 30))))


@functools.cache
def load_weights() -> Weights:
    """Read the committed weights, once per process."""
    file = resources.files(__package__).joinpath(WEIGHTS_FILE)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return Weights(**{name: arrays[name].astype(np.float64) for name in arrays.files})
