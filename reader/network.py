"""Computes the reader's network in numpy: text pieces in, one vector for the text and each piece
out.

The convolutions of the multilingual encoder see five pieces around each; the attention layers above
them see the whole text. Both are trained together by `python -m reader.training`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reader.vocabulary import encoder

Array = npt.NDArray[np.float32]

# The order of a convolution (pieces that it sees) and how many of them stand before its own.
ORDERS = ((2, 0), (3, 1), (5, 2))
WIDTH = 256
NEAR = 16
"""Attention tells distances up to this many pieces apart."""
_ENCODER_EPSILON, _EPSILON = 1e-12, 1e-5


class Network:
    """The weights of one task's network; `heads` names its linear outputs."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        self._weights = {name: array.astype(np.float32) for name, array in weights.items()}
        self._layers = len([name for name in weights if name.endswith(".qkv.weight")])

    def hidden(self, ids: Sequence[int], segments: Sequence[int]) -> Array:
        """Return a vector for the whole text and one for each piece, (1 + n, WIDTH)."""
        pieces = self._convolved(np.asarray(ids))
        x = self._linear(pieces, "inp") + self._weights["seg.weight"][np.asarray(segments)]
        x = np.vstack([self._weights["cls"], x])
        near = self._nearness(len(x))
        for layer in range(self._layers):
            x = self._attended(x, near, f"blocks.{layer}.")
        return self._normed(x, "norm")

    def head(self, name: str, x: Array) -> Array:
        """Return a head's outputs for each row of vectors."""
        return self._linear(x, f"heads.{name}")

    def _convolved(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return the encoder's features of each piece, (n, 1280), with our convolutions."""
        raw = _embedded(ids)
        blocks = [raw]
        for place, (order, left) in enumerate(ORDERS):
            names = [f"cnn.p.{8 * place + i}" for i in range(8)]
            p, b, gain, bias, w1, b1, w2, b2 = (self._weights[name] for name in names)
            x = _normalised(raw @ p + b, gain, bias, _ENCODER_EPSILON)
            h = np.maximum(_windows(x, order, left) @ w1 + b1, 0) + x
            blocks.append(np.maximum(_windows(h, order, left) @ w2 + b2, 0) + h)
        gain, bias = self._weights["cnn.g"], self._weights["cnn.b"]
        return _normalised(np.hstack(blocks), gain, bias, _ENCODER_EPSILON)

    def _nearness(self, length: int) -> Array:
        """Return what attention adds for the distance of two places, (heads, length, length)."""
        place = np.arange(length)
        distance = np.clip(place[None] - place[:, None], -NEAR, NEAR) + NEAR
        distance[0] = distance[:, 0] = 2 * NEAR + 1  # the whole text is near to everything
        return np.asarray(self._weights["rel.weight"][distance].transpose(2, 0, 1))

    def _attended(self, x: Array, near: Array, block: str) -> Array:
        """Return the vectors after one layer of attention and one of products."""
        heads = len(near)
        joined = self._linear(self._normed(x, block + "n1"), block + "qkv")
        q, k, v = (
            part.reshape(len(x), heads, -1).transpose(1, 0, 2) for part in np.split(joined, 3, 1)
        )
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1], dtype=np.float32) + near
        mixed = (softmax(scores) @ v).transpose(1, 0, 2).reshape(x.shape)
        x = x + self._linear(mixed, block + "o")
        wide = self._linear(self._normed(x, block + "n2"), block + "f1")
        return x + self._linear(_gelu(wide), block + "f2")

    def _linear(self, x: Array, name: str) -> Array:
        return x @ self._weights[name + ".weight"].T + self._weights[name + ".bias"]

    def _normed(self, x: Array, name: str) -> Array:
        weight, bias = self._weights[name + ".weight"], self._weights[name + ".bias"]
        return _normalised(x, weight, bias, _EPSILON)


def _embedded(ids: npt.NDArray[np.int64]) -> Array:
    """Return the encoder's own vector of each piece, (n, 512), from its table of bytes."""
    backend: Any = encoder()._model  # noqa: SLF001 - the package shows no vectors of pieces
    chunk = ids % len(backend.scale)
    levels = backend.table[ids].astype(np.float32)
    return np.asarray(levels * backend.scale[chunk, None] + backend.lo[chunk, None])


def _windows(x: Array, order: int, left: int) -> Array:
    """Return each row beside its neighbours, (n, order * width); zeros stand outside the text."""
    padded = np.pad(x, ((left, order - 1 - left), (0, 0)))
    return np.hstack([padded[i : i + len(x)] for i in range(order)])


def _normalised(x: Array, gain: Array, bias: Array, epsilon: float) -> Array:
    x = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(epsilon))
    return np.asarray(x / deviation * gain + bias)


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
