"""Tells the language of a text by its pieces."""

import functools
from collections.abc import Mapping
from importlib import resources

import numpy as np
from safetensors.numpy import load

from reader.convolutions import Array, embedded
from reader.vocabulary import pieces_of

LANGUAGES = (
    "ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh",
)  # fmt: skip
READ = 96
"""Pieces that are looked at."""


def language_of(text: str) -> str:
    """Return the language that the text is most likely in, one of LANGUAGES; English without any
    letters."""
    if not any(letter.isalpha() for letter in text):
        return "en"
    weights = load_weights()
    odds = weights["weight"] @ mean_of(text) + weights["bias"]
    return LANGUAGES[int(odds.argmax())]


def mean_of(text: str) -> Array:
    """Return the mean of the encoder's vectors of the text's pieces, (512,)."""
    ids = np.array([piece.id for piece in pieces_of(text)[:READ]] or [0])
    return np.asarray(embedded(ids).mean(axis=0))


@functools.cache
def load_weights() -> Mapping[str, Array]:
    """Read the committed weights, once per process."""
    file = resources.files("reader.weights").joinpath("language.safetensors")
    return {name: one.astype(np.float32) for name, one in load(file.read_bytes()).items()}
