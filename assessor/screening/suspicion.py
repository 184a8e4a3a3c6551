"""Finds planted instructions that no rule describes: a logistic regression, trained by
benchmarks.suspicion.

Its features are signs (suspicion.toml) and pairs of them, hashed words, and the multilingual
embedder's vector. Words that are not the user's own have additional weights. The text is read in
windows. Only the windows that are most suspicious without a vector are embedded.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
import numpy.typing as npt

from assessor.assessing import Exchange
from assessor.screening.attacks import QUOTED_LENGTH, Finding
from assessor.screening.disguises import decoded_parts, undisguised
from assessor.screening.provenance import Origin, Part, own_words, parts_of
from assessor.screening.suspicion_features import Window, whole, windows
from memory.embeddings import MULTILINGUAL, get_embedder

Array = npt.NDArray[np.float32]

WEIGHTS_FILE = "suspicion.npz"
DIMENSIONS = 512
LIKE_AN_INSTRUCTION = "reads like an instruction to the assistant"
WITH_EARLIER = "with the earlier messages, reads like an instruction to the assistant"
CONFIRMED = "reads like an instruction to the assistant, as a model confirms"
# Minimum probabilities of a finding, chosen on harmless text (docs/safety.md).
ALONE, TOGETHER, UNHEARD = 0.7, 0.75, 0.85
# Between these two probabilities, a model is asked if one is connected.
DOUBTFUL, SURE = 0.2, 0.9
TURNS = 6
_EMBEDDED = 3


@dataclass(frozen=True)
class Weights:
    """`sparse` (COLUMNS,) is for the columns of a window; `vector` (2 × 512,) for the vector, of
    all words and of words that are not the user's own.
    """

    sparse: Array
    vector: Array

    def without_vector(self, window: Window, *, own: bool) -> float:
        """Return the log-odds of a window by its words alone."""
        found, values = window.columns(own=own)
        return float(self.sparse[found] @ values)

    def by_vector(self, vector: Array, *, own: bool) -> float:
        """Return the vector's contribution to the log-odds."""
        weights = self.vector[:DIMENSIONS] + (0 if own else self.vector[DIMENSIONS:])
        return float(vector @ weights)


@dataclass(frozen=True)
class Suspicion:
    """The most suspicious window of a text, with its origin and probability."""

    probability: float
    origin: Origin
    window: str


def suspect(
    exchange: Exchange, earlier: Sequence[str] = (), *, least: float = ALONE
) -> Finding | None:
    """Return a finding if the exchange, alone or with the user's earlier messages, reads like a
    planted instruction; otherwise None. With a lower `least`, also return doubtful findings: see
    `is_enough`. Raises EmbeddingError.
    """
    parts = [part for part in parts_of(exchange) if part.origin is not Origin.ASSISTANT]
    if (worst := most_suspicious([*parts, *decoded_parts(parts)])) is None:
        return None
    if worst.probability >= ALONE:
        return _finding(LIKE_AN_INSTRUCTION, worst)
    together = with_earlier(
        own_words(exchange), [own_words(Exchange(message)) for message in earlier]
    )
    if together:
        return _finding(WITH_EARLIER, together)
    return _finding(LIKE_AN_INSTRUCTION, worst) if worst.probability >= least else None


def is_enough(finding: Finding) -> bool:
    """Return whether the classifier's finding alone sends a memory to review."""
    return finding.does == WITH_EARLIER or (finding.probability or 0.0) >= ALONE


def suspect_words(words: str) -> Finding | None:
    """Return a finding if a model's words, without a conversation, read like a planted instruction;
    otherwise None. Raises EmbeddingError.
    """
    parts = [Part(words, Origin.SUMMARY)]
    worst = most_suspicious([*parts, *decoded_parts(parts)])
    return _finding(LIKE_AN_INSTRUCTION, worst) if worst and worst.probability >= UNHEARD else None


def most_suspicious(parts: Sequence[Part]) -> Suspicion | None:
    """Return the most suspicious window of these parts; None without words."""
    found = [
        (load_weights().without_vector(window, own=part.origin is Origin.USER), window, part.origin)
        for part in parts
        for window in windows(undisguised(part.text))
    ]
    found = sorted(found, key=lambda one: -one[0])[:_EMBEDDED]
    vectors = embed_windows([window.text for _, window, _ in found])
    suspicions = [
        Suspicion(_probability(odds, vector, origin), origin, window.text)
        for (odds, window, origin), vector in zip(found, vectors, strict=True)
    ]
    return max(suspicions, key=lambda one: one.probability, default=None)


def with_earlier(said: str, earlier: Sequence[str]) -> Suspicion | None:
    """Read the most suspicious window of each of the latest messages together. Return the suspicion
    if it is enough for a finding and the newest message adds to it.
    """
    before = " ".join(map(_worst_window, earlier[1 - TURNS :])).strip()
    newest = _worst_window(said)
    if not (before and newest):
        return None
    texts = [f"{before} {newest}", before]
    now, until_now = (
        _probability(load_weights().without_vector(whole(text), own=True), vector, Origin.USER)
        for text, vector in zip(texts, embed_windows(texts), strict=True)
    )
    return Suspicion(now, Origin.USER, newest) if now >= TOGETHER and now > until_now else None


def _worst_window(said: str) -> str:
    found = windows(undisguised(said))
    odds = [load_weights().without_vector(window, own=True) for window in found]
    return found[int(np.argmax(odds))].text if found else ""


def _probability(odds: float, vector: Array, origin: Origin) -> float:
    odds += load_weights().by_vector(vector, own=origin is Origin.USER)
    return float(1 / (1 + np.exp(-odds)))


def embed_windows(texts: Sequence[str]) -> Array:
    """Return the vectors of the texts. Raises EmbeddingError."""
    return get_embedder("local", MULTILINGUAL, DIMENSIONS).embed(texts)


def _finding(does: str, found: Suspicion) -> Finding:
    return Finding(does, found.origin, found.window[:QUOTED_LENGTH], found.probability)


@functools.cache
def load_weights() -> Weights:
    """Read the committed weights, once per process."""
    file = resources.files(__package__).joinpath(WEIGHTS_FILE)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return Weights(**{name: arrays[name].astype(np.float32) for name in arrays.files})
