"""Two small logistic models: does any memory help with what was said, and does this one?

The relevance is the product of both probabilities. The first model reads the utterance and the
signals of the strongest memory found: a new fact ("my sister is a nurse") needs a memory only if
one is clearly about it. The second reads one memory's signals, compared with the strongest, and
whether the utterance is a question: fewer memories help with a remark than with a question.
weights.npz has the weights of both models, and two sets of weights for the utterance's features.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
import numpy.typing as npt

from memory.formulas.ranking import OTHERS_SHARE
from memory.recall.relevance.utterances import chinese_share, features, is_question
from memory.text.whose import asks_for_own_fact

Vector = npt.NDArray[np.float64]

WEIGHTS_FILE = "weights.npz"
# The usual similarity in a small space is uncertain, so five typical memories are added to its
# statistics. The two numbers are MiniLM's mean and deviation for unrelated texts.
ADDED, TYPICAL_MEAN, TYPICAL_DEVIATION = 5.0, 0.1, 0.1
# A memory that is hardly more similar to "Where do I live?" than others does not answer it. Such a
# memory, measured in standard deviations, keeps this share of its relevance.
UNLIKE_SHARE, UNLIKE_DEVIATIONS = 0.2, 0.85
# Log-odds of an utterance are limited to this.
SUREST = 6.0
WORDS = 2
"""The place of the words in `_features`."""


@dataclass(frozen=True)
class Signals:
    """The numbers of one memory for one question: its signals, and the mean (`usual`), standard
    deviation (`spread`) and number (`among`) of the similarities in its space. `others` is 1 if the
    memory is about someone other than the person asked about.
    """

    semantic: float
    lexical: float
    speaker: float
    usual: float
    spread: float
    among: int
    others: float = 0.0

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
    def is_unlike(self) -> bool:
        """True if no word, no speaker and no similarity connects the memory with the text."""
        return not self.lexical and not self.speaker and self.deviations < UNLIKE_DEVIATIONS

    @property
    def strength(self) -> float:
        """A rough order of memories, whatever the ranking profile is."""
        return self.margin + 1.5 * self.lexical


@dataclass(frozen=True)
class Look:
    """An utterance as both models see it: the log-odds that it needs a memory (`need`) and that it
    says something new (`tells`), its share of Chinese characters, the trust in similarities, and
    whether it is a question.
    """

    need: float
    tells: float
    chinese: float
    trusted: float
    asks: bool

    @property
    def sure(self) -> float:
        """The log-odds, limited and scaled."""
        return _limited(self.need)

    @property
    def new(self) -> float:
        """The certainty that the utterance says something new: 0 for questions and most other
        utterances, whose relevance it does not change.
        """
        return 0.0 if self.asks else max(0.0, 1 + _limited(self.tells))


@dataclass(frozen=True)
class Weights:
    """The weights of the utterance's features, for `need` and for `tells`, and of both models; the
    last is the constant."""

    utterance: Vector
    statement: Vector
    any_memory: Vector
    this_memory: Vector


def relevance_of(
    text: str, vector: npt.NDArray[np.float32], signals: Sequence[Signals], *, trusted: float = 1.0
) -> list[float]:
    """Return each memory's probability of helping with the text, in 0..1.

    `vector` is the text's by one of the built-in models. `trusted` is the trust in the similarities
    of the space's model, in 0..1.
    """
    if not signals:
        return []
    weights, share = load_weights(), chinese_share(text)
    said = features([text], [vector])
    need, tells = (float(log_odds(said, of)[0]) for of in (weights.utterance, weights.statement))
    look = Look(need, tells, share, trusted, asks=is_question(text))
    helps = probability(log_odds(any_features(look, signals)[None], weights.any_memory))
    rows = this_features(look, signals)
    this = probability(log_odds(rows, weights.this_memory))
    own = np.array([1 - OTHERS_SHARE * one.others for one in signals])
    answers = _answering_shares(text, signals, trusted)
    relevances: list[float] = (helps * this * own * answers).tolist()
    return relevances


def _answering_shares(text: str, signals: Sequence[Signals], trusted: float) -> Vector:
    """Return, for each memory, the share of its relevance that it keeps as a possible answer."""
    if not asks_for_own_fact(text):
        return np.ones(len(signals))
    return np.array([1 - (1 - UNLIKE_SHARE) * trusted * one.is_unlike for one in signals])


def any_features(look: Look, signals: Sequence[Signals]) -> Vector:
    """Return the features of the first model."""
    sure, new = look.sure, look.new
    best = _features(_strongest(signals), look)
    both = [[weight, weight * best[0], weight * best[WORDS]] for weight in (sure, new)]
    return np.array([*both[0], *both[1], *best])


def this_features(look: Look, signals: Sequence[Signals]) -> Vector:
    """Return the features of the second model, a row for each memory."""
    sure, asked = look.sure, float(look.asks)
    best = _features(_strongest(signals), look)
    rows = []
    for one in signals:
        row = _features(one, look)
        beside = [best[0] - row[0], best[WORDS] - row[WORDS]]
        rows.append([*row, *beside, sure, asked, asked * row[0], asked * row[WORDS], sure * row[0]])
    return np.array(rows)


def _strongest(signals: Sequence[Signals]) -> Signals:
    """Return the strongest memory, if possible among those about the person asked about: the others
    are no measure for these.
    """
    return max(signals, key=lambda one: (-one.others, one.strength))


def _limited(odds: float) -> float:
    return max(-SUREST, min(SUREST, odds)) / 2


def _features(one: Signals, look: Look) -> list[float]:
    """Return numbers of similar size. A similarity counts as much as its model is trusted.
    Similarities of Chinese texts have their own weights, because another model computes them.
    """
    words, size, chinese = math.sqrt(one.lexical), math.log1p(one.among), look.chinese
    margin, deviations = 4 * one.margin * look.trusted, one.deviations / 2 * look.trusted
    return [
        margin,
        deviations,
        4 * words,
        margin * chinese,
        deviations * chinese,
        4 * words * chinese,
        4 * one.lexical,
        one.speaker,
        words * size / 2,
        size / 4,
        chinese,
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
