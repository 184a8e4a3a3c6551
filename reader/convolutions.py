"""Computes the features of text pieces with the multilingual encoder's convolutions, in numpy.

A convolution sees up to five pieces around each. The encoder has three, each of two layers, beside
its own vector of the piece. A task may train the weights further.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reader.vocabulary import encoder

Array = npt.NDArray[np.float32]

# The order of a convolution (pieces that it sees) and how many of them stand before its own.
ORDERS = ((2, 0), (3, 1), (5, 2))
WIDTH = 256
FEATURES = 1280
PARTS = ("projection", "offset", "gain", "bias", "first", "first_bias", "second", "second_bias")
"""The weights of one convolution: a projection, a norm, and two layers."""
EPSILON = 1e-12
_BORDER = (0, 0)
"""Stands between texts, where no convolution sees anything."""


def part_name(place: int, part: str) -> str:
    """Return the name of a weight of the convolution at this place in ORDERS."""
    return f"convolutions.parts.{place}.{part}"


@functools.cache
def encoder_weights() -> dict[str, Array]:
    """Return the weights of the encoder's own convolutions, by name."""
    source: Any = encoder()._model  # the package shows no weights
    found = {"convolutions.gain": source.ln_g, "convolutions.bias": source.ln_b}
    for place in range(len(ORDERS)):
        columns = slice(place * WIDTH, (place + 1) * WIDTH)
        arrays = (
            source.proj_W[:, columns], source.proj_b[columns],
            source.ln_g_all[columns], source.ln_b_all[columns],
            source.w1[place], source.b1[place], source.w2[place], source.b2[place],
        )  # fmt: skip
        for part, array in zip(PARTS, arrays, strict=True):
            found[part_name(place, part)] = np.asarray(array, dtype=np.float32)
    return found


def convolved(texts: Sequence[Sequence[int]], weights: Mapping[str, Array]) -> list[Array]:
    """Return the features of each text's pieces, (n, FEATURES). Texts are computed together,
    because reading the weights takes longer than multiplying by them."""
    ids = [one for text in texts for one in (*text, *_BORDER)]
    inside = np.array([one for text in texts for one in (*[1] * len(text), *[0] * len(_BORDER))])
    inside = inside[:, None].astype(np.float32)
    raw = embedded(np.asarray(ids))
    parts = [[weights[part_name(place, part)] for part in PARTS] for place in range(len(ORDERS))]
    projected = np.hstack([raw @ part[0] + part[1] for part in parts])
    gains, biases = (np.hstack([part[i] for part in parts]) for i in (2, 3))
    inputs = normalised(projected, gains, biases, EPSILON) * inside
    blocks = [raw]
    for x, part, (order, left) in zip(
        np.split(inputs, len(ORDERS), axis=1), parts, ORDERS, strict=True
    ):
        first, first_bias, second, second_bias = part[4:]
        h = (np.maximum(_windows(x, order, left) @ first + first_bias, 0) + x) * inside
        blocks.append(np.maximum(_windows(h, order, left) @ second + second_bias, 0) + h)
    gain, bias = weights["convolutions.gain"], weights["convolutions.bias"]
    features = normalised(np.hstack(blocks), gain, bias, EPSILON)
    ends = np.cumsum([len(text) + len(_BORDER) for text in texts])
    return [
        features[end - len(_BORDER) - len(text) : end - len(_BORDER)]
        for text, end in zip(texts, ends, strict=True)
    ]


def summed(features: Array) -> Array:
    """Return the encoder's vector of a text with these features of its pieces, of length 1.

    This is `encoder().encode`, without computing the features again.
    """
    source: Any = encoder()._model
    count = np.float32(len(features))
    mean = (features.sum(axis=0) @ source.cnn_W + count * source.cnn_b) / np.sqrt(count)
    first = np.maximum(mean @ source.d0, 0)
    second = np.maximum(mean @ source.p1 + first @ source.d1, 0)
    third = np.maximum(second @ source.d2, 0)
    vector = np.tanh(second @ source.p3 + third @ source.d3)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def normalised(x: Array, gain: Array, bias: Array, epsilon: float) -> Array:
    """Return each row with mean 0 and deviation 1, times the gain, plus the bias."""
    x = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(epsilon))
    return np.asarray(x / deviation * gain + bias)


def embedded(ids: npt.NDArray[np.int64]) -> Array:
    """Return the encoder's own vector of each piece, (n, 512), from its table of bytes."""
    backend: Any = encoder()._model  # the package shows no vectors of pieces
    chunk = ids % len(backend.scale)
    levels = backend.table[ids].astype(np.float32)
    return np.asarray(levels * backend.scale[chunk, None] + backend.lo[chunk, None])


def _windows(x: Array, order: int, left: int) -> Array:
    """Return each row beside its neighbours, (n, order * width); zeros stand outside the text."""
    padded = np.pad(x, ((left, order - 1 - left), (0, 0)))
    return np.hstack([padded[i : i + len(x)] for i in range(order)])
