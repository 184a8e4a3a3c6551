"""Tells the language of a text by its pieces: a layer for each piece, and one for their mean."""

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
READ = 32
"""Pieces that are looked at."""


@functools.lru_cache(maxsize=256)
def language_of(text: str) -> str:
    """Return the language that the text is most likely in, one of LANGUAGES; English without any
    letters."""
    ids = [piece.id for piece in pieces_of(text)[:READ]]
    if not any(letter.isalpha() for letter in text) or not ids:
        return "en"
    weights = load_weights()
    inner = embedded(np.array(ids)) @ weights["piece.weight"].T + weights["piece.bias"]
    odds = weights["text.weight"] @ np.maximum(inner, 0).mean(axis=0) + weights["text.bias"]
    return LANGUAGES[int(odds.argmax())]


@functools.cache
def load_weights() -> Mapping[str, Array]:
    """Read the committed weights, once per process."""
    file = resources.files("reader.weights").joinpath("language.safetensors")
    return {name: one.astype(np.float32) for name, one in load(file.read_bytes()).items()}
