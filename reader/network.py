"""Computes the reader's network in numpy: text pieces in, one vector for the text and each piece
out.

The convolutions of the multilingual encoder see five pieces around each; the attention layers above
them see the whole text. Both are trained together by `python -m reader.training`.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from reader.convolutions import Array, convolved, normalised

NEAR = 16
"""Attention tells distances up to this many pieces apart."""
_EPSILON = 1e-5


class Network:
    """The weights of one task's network; `heads` names its linear outputs."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        self._weights = {name: array.astype(np.float32) for name, array in weights.items()}
        self._layers = len([name for name in weights if name.endswith(".qkv.weight")])

    def hidden(self, ids: Sequence[int], segments: Sequence[int]) -> Array:
        """Return a vector for the whole text and one for each piece, (1 + n, WIDTH)."""
        [pieces] = convolved([ids], self._weights)
        x = self._linear(pieces, "inp") + self._weights["seg.weight"][np.asarray(segments)]
        x = np.vstack([self._weights["cls"], x])
        return np.asarray(self._through_layers(x[None], self._nearness(len(x)))[0])

    def head(self, name: str, x: Array) -> Array:
        """Return a head's outputs for each row of vectors."""
        return self._linear(x, f"heads.{name}")

    def _through_layers(self, x: Array, near: Array) -> Array:
        for layer in range(self._layers):
            x = self._attended(x, near, f"blocks.{layer}.")
        return self._normed(x, "norm")

    def _nearness(self, length: int) -> Array:
        """Return what attention adds for the distance of two places, (heads, length, length)."""
        place = np.arange(length)
        distance = np.clip(place[None] - place[:, None], -NEAR, NEAR) + NEAR
        distance[0] = distance[:, 0] = 2 * NEAR + 1  # the whole text is near to everything
        return np.asarray(self._weights["rel.weight"][distance].transpose(2, 0, 1))

    def _attended(self, x: Array, near: Array, block: str) -> Array:
        """Return the vectors, (texts, places, WIDTH), after one layer of attention and one of
        products. `near` is added to the scores, (heads, places, places) or one for each text."""
        heads = near.shape[-3]
        joined = self._linear(self._normed(x, block + "n1"), block + "qkv")
        q, k, v = (
            part.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)
            for part in np.split(joined, 3, -1)
        )
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1], dtype=np.float32) + near
        mixed = (softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(x.shape)
        x = x + self._linear(mixed, block + "o")
        wide = self._linear(self._normed(x, block + "n2"), block + "f1")
        return x + self._linear(_gelu(wide), block + "f2")

    def _linear(self, x: Array, name: str) -> Array:
        return x @ self._weights[name + ".weight"].T + self._weights[name + ".bias"]

    def _normed(self, x: Array, name: str) -> Array:
        weight, bias = self._weights[name + ".weight"], self._weights[name + ".bias"]
        return normalised(x, weight, bias, _EPSILON)


def _gelu(x: Array) -> Array:
    """Return the Gaussian error linear unit by its approximation with tanh."""
    inner = np.float32(np.sqrt(2 / np.pi)) * (x + np.float32(0.044715) * x * x * x)
    return np.asarray(np.float32(0.5) * x * (1 + np.tanh(inner)))


def softmax(x: Array) -> Array:
    """Return probabilities over the last axis."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def sigmoid(x: Array) -> Array:
    """Return the probability of a log-odds."""
    return np.asarray(1 / (1 + np.exp(-x)))
