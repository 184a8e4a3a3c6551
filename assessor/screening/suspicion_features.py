"""The features of the classifier that complements the rules: signs, hashed words, and windows of
text.
"""

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from importlib import resources

import numpy as np
import numpy.typing as npt

from assessor import hashing
from assessor.hashing import hashed, normalised, scaled
from reader.sentences import split_sentences

# A window is a sentence, with the following ones while it is shorter than _SHORT characters, and at
# most _MOST in all, or a text of full stops would take seconds.
_SHORT, _LONGEST, _MOST = 120, 600, 8


def _load_signs(*languages: str) -> dict[str, re.Pattern[str]]:
    text = resources.files(__package__).joinpath("suspicion.toml").read_text("utf-8")
    return {
        name: re.compile("|".join(of[one] for one in languages if one in of))
        for name, of in tomllib.loads(text).items()
    }


SIGNS = _load_signs("any", "en", "de", "romance", "ru", "ar", "cjk")
# The same for ASCII text, without the languages that need other characters.
_ASCII_SIGNS = _load_signs("any", "en", "de", "romance")
# The columns of one origin: a constant, each sign, each pair of signs, and hashed words.
_PAIRS = 1 + len(SIGNS)
_GRAMS = _PAIRS + len(SIGNS) ** 2
WIDTH = _GRAMS + hashing.COLUMNS
COLUMNS = 2 * WIDTH
"""The number of columns: first the features of all words, then those of words that are not the
user's own."""


@dataclass(frozen=True)
class Window:
    """A piece of a text: one sentence, or several short ones."""

    text: str
    signs: frozenset[int]
    grams: Counter[int]

    def columns(self, *, own: bool) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
        """Return the columns that are not zero, and their values. `own` is true for the user's own
        words.
        """
        signs = sorted(self.signs)
        pairs = [_PAIRS + one * len(SIGNS) + two for one in signs for two in signs if one < two]
        counted = np.ones(1 + len(signs) + len(pairs), dtype=np.float32)
        grams = (_GRAMS + gram for gram in self.grams)
        found = np.array([0, *(1 + sign for sign in signs), *pairs, *grams], dtype=np.intp)
        values = np.concatenate([counted, scaled(self.grams)])
        if own:
            return found, values
        return np.concatenate([found, WIDTH + found]), np.concatenate([values, values])

    def __add__(self, other: "Window") -> "Window":
        """Return both windows as one."""
        grams = self.grams.copy()
        grams.update(other.grams)
        return Window(f"{self.text} {other.text}", self.signs | other.signs, grams)


def windows(text: str) -> list[Window]:
    """Return the text in overlapping windows, one beginning at each sentence."""
    sentences = [_window(sentence[:_LONGEST]) for sentence in split_sentences(text)]
    found = []
    for place, window in enumerate(sentences):
        following = sentences[place + 1 : place + _MOST]
        while len(window.text) < _SHORT and following:
            window += following.pop(0)
        found.append(window)
        if place + _MOST >= len(sentences) and len(window.text) < _SHORT:
            break  # the rest is part of this window
    return found


def whole(text: str) -> Window:
    """Return the text as one window."""
    first, *others = [_window(sentence) for sentence in split_sentences(text) or [text]]
    return sum(others, start=first)


def _window(sentence: str) -> Window:
    said = normalised(sentence)
    signs = (_ASCII_SIGNS if said.isascii() else SIGNS).values()
    found = frozenset(number for number, sign in enumerate(signs) if sign.search(said))
    return Window(sentence, found, hashed(said))
