"""The facets of seed 003 by trained heads: softmax layers on the features, read from facets.npz.

P is one of the three steps of the seed's scale, because a memory is core at exactly 1. The other
facets are expected values over levels.
"""

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
import numpy.typing as npt

from assessor.local.features import HASHED_DIMENSIONS, feature_matrix
from assessor.local.head import EMBEDDING_DIMENSIONS, Array, softmax
from memory.drafts import Facets

FACETS_FILE = "facets.npz"
STEPS = (0.1, 0.5, 1.0)
"""The scale of P: everyday life, plans and short illness, lasting traits (seed 003, 2.1)."""
LAYERS = ("P", "valence", "intensity", "I", "J")
CORE_FROM = 0.5
"""Least probability of the step P = 1. A core memory never fades, so a doubtful one is not core."""

# Scale of each block of features; chosen by grouped cross-validation (docs/local-assessor.md).
EMBEDDING_SCALE, COUNTED_SCALE, HASHED_SCALE = 2.0, 0.4, 1.0
DIGITS = 2


def _load_cues() -> list[re.Pattern[str]]:
    data = json.loads(resources.files(__package__).joinpath("facet_cues.json").read_text("utf-8"))
    del data["about"]
    return [
        re.compile(f"{cue['en']}|{'|'.join(map(re.escape, cue['zh']))}", re.I)
        for cue in data.values()
    ]


_CUES = _load_cues()


@dataclass(frozen=True)
class FacetHeads:
    """One softmax layer for each facet in LAYERS, over d scaled features.

    `counted_*` (k,) scale the counted features. `weights` (d, all levels) and `bias` hold the
    layers side by side; `values` are the values of their levels, `sizes` (5,) their numbers.
    """

    counted_mean: Array
    counted_deviation: Array
    weights: Array
    bias: Array
    values: Array
    sizes: Array

    def facets(self, texts: Sequence[str], vectors: Array) -> tuple[list[Facets], Array]:
        """Return the facets of texts with their MiniLM vectors (n, 384), and the probability (n,)
        of each text's P.
        """
        layers = self._layers(texts, vectors)
        levels = np.split(self.values, self._borders)
        steps = step_of(layers[0])
        means = [layer @ values for layer, values in zip(layers[1:], levels[1:], strict=True)]
        return [
            Facets(P=STEPS[step], **_rounded(row))
            for step, row in zip(steps, np.column_stack(means), strict=True)
        ], layers[0][np.arange(len(steps)), steps]

    def persistence(self, texts: Sequence[str], vectors: Array) -> Array:
        """Return the probabilities of each text's P, (n, 3), in the order of STEPS."""
        return self._layers(texts, vectors)[0]

    @property
    def _borders(self) -> npt.NDArray[np.intp]:
        return np.cumsum(self.sizes.astype(int))[:-1]

    def _layers(self, texts: Sequence[str], vectors: Array) -> list[Array]:
        raw = facet_features(texts, vectors)
        logits = scaled(raw, self.counted_mean, self.counted_deviation) @ self.weights + self.bias
        return [softmax(part) for part in np.split(logits, self._borders, axis=1)]


def step_of(probabilities: Array) -> npt.NDArray[np.intp]:
    """Return the index in STEPS of each row's P, (n,): the most probable step, but P = 1 only from
    CORE_FROM.
    """
    best = probabilities.argmax(axis=1)
    doubtful = (best == len(STEPS) - 1) & (probabilities[:, -1] < CORE_FROM)
    return np.asarray(np.where(doubtful, probabilities[:, :-1].argmax(axis=1), best), dtype=np.intp)


def _rounded(row: Array) -> dict[str, float]:
    lows = {"valence": -1.0}
    return {
        name: round(float(np.clip(value, lows.get(name, 0.0), 1.0)), DIGITS) + 0.0  # no -0.0
        for name, value in zip(LAYERS[1:], row, strict=True)
    }


def facet_features(texts: Sequence[str], vectors: Array) -> Array:
    """Return features (n, 384 + counted + HASHED_DIMENSIONS): those of the importance head, with
    the facets' cues among the counted ones.
    """
    raw = feature_matrix(texts, vectors)
    found = [[len(cue.findall(text)) for cue in _CUES] for text in texts]
    cues = np.log1p(np.array(found, dtype=np.float32))
    return np.hstack([raw[:, :-HASHED_DIMENSIONS], cues, raw[:, -HASHED_DIMENSIONS:]])


def scaled(features: Array, mean: Array, deviation: Array) -> Array:
    """Scale the three blocks of a feature matrix to comparable size; the shape is unchanged."""
    counted = features[:, EMBEDDING_DIMENSIONS:-HASHED_DIMENSIONS]
    return np.hstack(
        [
            features[:, :EMBEDDING_DIMENSIONS] * np.float32(EMBEDDING_SCALE),
            (counted - mean) / deviation * np.float32(COUNTED_SCALE),
            features[:, -HASHED_DIMENSIONS:] * np.float32(HASHED_SCALE),
        ]
    )


@functools.cache
def load_facet_heads() -> FacetHeads:
    """Read the committed weights, once per process."""
    file = resources.files(__package__).joinpath(FACETS_FILE)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return FacetHeads(**{name: arrays[name].astype(np.float32) for name in arrays.files})
