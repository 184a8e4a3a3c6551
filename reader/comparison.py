"""Compares two texts in numpy, such as a question and a memory.

The encoder's own features say how near their pieces are. Two layers of attention, trained by
`python -m reader.training`, see all pieces of both.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reader.convolutions import WIDTH, Array, convolved, encoder_weights, summed
from reader.network import Network
from reader.vocabulary import BEGIN, END, Piece

FIRST, SECOND = 0, 1  # segments
# Numbers of similar size train better.
PRODUCTS, DIFFERENCES, COSINES = 16, 4, 4
HIDDEN = -1e9
"""Added to the scores of places without a piece."""


class Text(NamedTuple):
    """A text of n pieces: their ids, their features, (n, 1280), and the encoder's vector of the
    text, of length 1."""

    ids: npt.NDArray[np.int64]
    features: Array
    vector: Array


class Compared(NamedTuple):
    """The findings of a comparison with k texts.

    A vector for each pair, (k, WIDTH), and one for each piece of the second texts, (k, places,
    WIDTH); the cosines of the two texts' vectors, before and after the first was turned, (k, 2).
    """

    pairs: Array
    pieces: Array
    cosines: Array


def texts_of(several: Sequence[Sequence[Piece]]) -> list[Text]:
    """Return texts for comparisons."""
    ids = [[BEGIN, *(piece.id for piece in pieces), END] for pieces in several]
    return [
        Text(np.array(each), features, summed(features))
        for each, features in zip(ids, convolved(ids, encoder_weights()), strict=True)
    ]


class Comparison(Network):
    """A network that sees two texts."""

    def compare(self, first: Text, others: Sequence[Text]) -> Compared:
        """Return how the first text looks beside each of the others."""
        turned = self._weights["down.weight"] @ first.vector
        turned = first.vector + self._weights["up.weight"] @ turned
        turned = turned / np.linalg.norm(turned)
        vectors = np.array([other.vector for other in others])
        near = [nearness(first, other) for other in others]
        beside = [turned * vectors * PRODUCTS, abs(turned - vectors) * DIFFERENCES]
        whole = self._weights["cls"] + self._linear(np.array([one[2] for one in near]), "whole")
        whole = whole + self._linear(np.hstack(beside), "vectors")
        border = 1 + len(first.ids)
        x, hidden = self._inputs(first, others, near)
        x[:, 0] = whole
        x = self._through_layers(x, self._places(border, x.shape[1]) + hidden)
        cosines = np.stack([vectors @ first.vector, vectors @ turned], axis=1) * COSINES
        return Compared(x[:, 0], x[:, border:], cosines)

    def _inputs(self, first: Text, others: Sequence[Text], near: Sequence[Any]) -> list[Array]:
        """Return the vectors of all pieces, (k, places, WIDTH), of the first text from place 1 on,
        and what hides the places without a piece, for the scores."""
        border = 1 + len(first.ids)
        length = border + max(len(other.ids) for other in others)
        x = np.zeros((len(others), length, WIDTH), dtype=np.float32)
        hidden = np.full((len(others), 1, 1, length), HIDDEN, dtype=np.float32)
        hidden[..., :border] = 0
        plain = self._linear(first.features, "inp") + self._weights["seg.weight"][FIRST]
        x[:, 1:border] = plain + self._linear(np.array([one[0] for one in near]), "near")
        features = self._linear(np.vstack([other.features for other in others]), "inp")
        features += self._linear(np.vstack([one[1] for one in near]), "near")
        starts = np.cumsum([0, *(len(other.ids) for other in others)])
        for row, (start, end) in enumerate(pairwise(starts)):
            places = slice(border, border + end - start)
            x[row, places] = features[start:end] + self._weights["seg.weight"][SECOND]
            hidden[row, ..., places] = 0
        return [x, hidden]

    def _places(self, border: int, length: int) -> Array:
        """Return what attention adds for two places: by distance within a text, and one number for
        pieces of different texts, of which the second begins at the border."""
        near = self._nearness(length)
        across = self._weights["cross.weight"][0][:, None, None]
        near[:, 1:border, border:] = across
        near[:, border:, 1:border] = across
        return near


def nearness(first: Text, second: Text) -> tuple[Array, Array, Array]:
    """Return how near each piece is to the other text, (n, 3), and the texts to each other, (4,).

    For a piece: its cosine with the nearest piece, at least 0; 1 if it stands there itself; and its
    cosine with the other text as a whole. For the texts: their cosine, and means of the first two.
    """
    pieces = [
        text.features / np.linalg.norm(text.features, axis=1)[:, None] for text in (first, second)
    ]
    wholes = [one.sum(axis=0) / np.linalg.norm(one.sum(axis=0)) for one in pieces]
    cosines = np.maximum(pieces[0] @ pieces[1].T, 0)
    same = (first.ids[:, None] == second.ids) & (first.ids > END)[:, None]
    near = [
        np.stack(
            [cosines.max(axis=1 - i), same.max(axis=1 - i), pieces[i] @ wholes[1 - i]], 1
        ).astype(np.float32)
        for i in (0, 1)
    ]
    whole = [
        wholes[0] @ wholes[1],
        near[0][:, 0].mean(),
        near[1][:, 0].mean(),
        near[0][:, 1].mean(),
    ]
    return near[0], near[1], np.array(whole, dtype=np.float32)
