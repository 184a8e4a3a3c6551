"""Recognises a request that hands over a text by the multilingual vector of its clause.

A logistic regression, trained by benchmarks.programs.handing, finds wordings that the patterns of
`requests` miss. It runs when a memory is about to be written; such a memory waits for review.
"""

import functools
from importlib import resources

import numpy as np
import numpy.typing as npt

from assessor.gate.handed import SELF, clauses_of
from assessor.gate.own_words import handed_over
from assessor.gate.requests import Whose, whose_text
from assessor.gate.wording import pattern
from memory.embeddings import MULTILINGUAL, get_embedder

WEIGHTS_FILE = "handing.npz"
DIMENSIONS = 512
# Minimum log-odds of a request, chosen on people's messages (docs/safety.md).
LEAST = 0.5
# A text that a person pasted mentions someone at its beginning.
_FIRST = 80  # characters
_LONGEST = 200
_OWN_TEXT = pattern("own_text")
Array = npt.NDArray[np.float32]


def not_surely_own(text: str) -> str:
    """Return the part of a message's own words that someone else may have written, "" if none.

    Raises EmbeddingError.
    """
    if handed := handed_over(text):
        return handed
    found = candidates(text)
    if not found:
        return ""
    weights = load_weights()
    odds = vectors([clause for clause, _ in found]) @ weights[:-1] + weights[-1]
    best = int(np.argmax(odds))
    return found[best][1] if odds[best] >= LEAST else ""


def candidates(text: str) -> list[tuple[str, str]]:
    """Return the clauses that may introduce a first-person text, each with that text."""
    found: dict[str, str] = {}
    is_cut = False  # a text that the patterns recognise
    for clause in clauses_of(text):
        asked = text[clause.start : clause.end]
        if whose_text(asked, at_colon=clause.at_colon) is Whose.OTHERS:
            is_cut = True
            continue
        line = text.rfind("\n", 0, clause.start + 1) + 1
        _add(found, text[line : clause.end], text[clause.end :])
    before, _, last = text.rstrip().rpartition("\n")
    if not is_cut:
        _add(found, last, before)
    return list(found.items())


def _add(found: dict[str, str], clause: str, shown: str) -> None:
    clause, shown = clause.strip()[-_LONGEST:], shown.strip()
    if clause and SELF.search(shown[:_FIRST]) and not _OWN_TEXT.search(clause):
        found.setdefault(clause, shown)


def vectors(clauses: list[str]) -> Array:
    """Return the vectors of clauses. Raises EmbeddingError."""
    return np.asarray(get_embedder("local", MULTILINGUAL, DIMENSIONS).embed(clauses), np.float32)


@functools.cache
def load_weights() -> Array:
    """Read the committed weights, once per process: those of the vector, and the constant."""
    file = resources.files(__package__).joinpath(WEIGHTS_FILE)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return np.asarray(arrays["weights"], np.float32)
