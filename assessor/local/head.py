"""The trained head: softmax layers on the features, read from head.npz; needs numpy only."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
import numpy.typing as npt

from assessor.local.features import HASHED_DIMENSIONS, feature_matrix

Array = npt.NDArray[np.float32]

MEMORY_TYPES = (
    "identity",
    "goal",
    "decision",
    "todo",
    "preference",
    "fact",
    "event",
    "observation",
)
EMBEDDING_DIMENSIONS = 384
HEAD_FILE = "head.npz"

# Scale of each block of features; chosen by cross-validation on the training examples
# (docs/local-assessor.md).
EMBEDDING_SCALE, SURFACE_SCALE, HASHED_SCALE = 1.4, 0.2, 1.0


@dataclass(frozen=True)
class Scores:
    """The head's output for n texts: importance (n,), type probabilities (n, 8), both in [0, 1]."""

    importance: Array
    types: Array


@dataclass(frozen=True)
class Head:
    """Two softmax layers over d scaled features, of which k are surface features.

    Importance is the expected value over levels. A regression on the number itself has a third more
    error: the signs of a trivial message are not the opposite of the signs of a fact. `surface_*`
    (k,), `level_values` (levels,), weights (d, levels) and (d, 8), `calibration` (1 + 8,) over that
    expected value and the type probabilities, `context_weights` (3,) for context.FEATURES.
    """

    surface_mean: Array
    surface_deviation: Array
    level_weights: Array
    level_bias: Array
    level_values: Array
    calibration: Array
    type_weights: Array
    type_bias: Array
    context_weights: Array

    def scores(self, texts: Sequence[str], vectors: Array) -> Scores:
        """Score texts with their MiniLM vectors, (n, 384)."""
        features = scaled(feature_matrix(texts, vectors), self.surface_mean, self.surface_deviation)
        levels = softmax(features @ self.level_weights + self.level_bias)
        types = softmax(features @ self.type_weights + self.type_bias)
        return Scores(self._calibrated(levels @ self.level_values, types), types)

    def _calibrated(self, importance: Array, types: Array) -> Array:
        """Correct the expected value, which avoids both ends, by the type probabilities."""
        moved = np.column_stack([importance, types]) @ self.calibration
        return np.asarray(np.clip(moved, 0, 1), dtype=np.float32)


def softmax(logits: Array) -> Array:
    """Return probabilities over the columns of each row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float32)


def scaled(features: Array, surface_mean: Array, surface_deviation: Array) -> Array:
    """Scale the three blocks of a feature matrix to comparable size; the shape is unchanged."""
    surface = features[:, EMBEDDING_DIMENSIONS:-HASHED_DIMENSIONS]
    return np.hstack(
        [
            features[:, :EMBEDDING_DIMENSIONS] * np.float32(EMBEDDING_SCALE),
            (surface - surface_mean) / surface_deviation * np.float32(SURFACE_SCALE),
            features[:, -HASHED_DIMENSIONS:] * np.float32(HASHED_SCALE),
        ]
    )


@functools.cache
def load_head() -> Head:
    """Read the committed weights, once per process."""
    file = resources.files(__package__).joinpath(HEAD_FILE)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return Head(**{name: arrays[name].astype(np.float32) for name in arrays.files})
