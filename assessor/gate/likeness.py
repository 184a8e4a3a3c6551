"""Recognises a program's prompt with a logistic regression, in addition to the rules.
benchmarks.programs trains it.

Its features are the signals of the rules, the shape of the text, and hashed words. System prompts
have their own weights, because a task must be distinguished from the description of a character
that a person talks to.
"""

import functools
from dataclasses import dataclass
from importlib import resources

import numpy as np
import numpy.typing as npt

from assessor import hashing
from assessor.gate.own_words import Parts, parts_of
from assessor.gate.signals import (
    END_LABEL,
    HEADING,
    JSON_ANSWER,
    MUCH_SELF,
    RULE_LINE,
    SOME_SELF,
    TASK_SIGNALS,
    WORD,
    self_share,
)
from assessor.hashing import hashed, normalised, scaled

WEIGHTS_FILE = "likeness.npz"
# Least log-odds of a program's prompt, chosen on messages of people (docs/openai-endpoint.md): of a
# message, and of one that begins with words on oneself, as long questions of people do;
MESSAGE_FROM, SELF_FROM = 1.5, 5.0
# of a system prompt, of one so short that it may only set a style ("Be brief."), and of one with
# words of an assistant that people talk with.
SYSTEM_FROM, SHORT_FROM, TALK_FROM = 2.0, 3.0, 3.0
_SHORT = 12  # words
# A prompt states its task at the beginning or at the end.
_BEGINNING, _END = 3_000, 1_000
# Characters of the first sentence or so
_FIRST = 80
_MARKS = (
    *TASK_SIGNALS,
    "heading",
    "two headings",
    "four headings",
    "end label",
    "rule",
    "three rules",
    "JSON answer",
    "document",
    "transcript",
    "begins with self",
    "no self",
    "some self",
    "much self",
    "12 words",
    "40 words",
    "120 words",
    "5 lines",
    "20 lines",
)
_GRAMS = 1 + len(_MARKS)
COLUMNS = _GRAMS + hashing.COLUMNS


@dataclass(frozen=True)
class Weights:
    """The weights of the columns: for messages, and for system prompts."""

    message: npt.NDArray[np.float32]
    system: npt.NDArray[np.float32]


def is_like_a_program(parts: Parts, text: str) -> bool:
    """Return whether a message reads like a program's prompt."""
    least = SELF_FROM if _begins_with_self(parts.frame) else MESSAGE_FROM
    return _odds(load_weights().message, parts, text) >= least


def sets_a_task(system: str, *, may_talk: bool, names_a_text: bool) -> bool:
    """Return whether a system prompt reads like a task on the message after it.

    `may_talk` is true if it describes an assistant that people talk with, `names_a_text` if it
    names the text to work on.
    """
    if not system.strip():
        return False
    is_short = len(WORD.findall(system)) < _SHORT
    if is_short and not names_a_text:
        return False  # The prompt says how to answer, not what to do.
    least = SHORT_FROM if is_short else SYSTEM_FROM
    least = TALK_FROM if may_talk else least
    return _odds(load_weights().system, parts_of(system), system) >= least


def columns(parts: Parts, text: str) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """Return the columns of a text that are not zero, and their values."""
    marks = _marks(parts, text)
    frame = parts.frame
    if len(frame) > _BEGINNING + _END:
        frame = f"{frame[:_BEGINNING]}\n{frame[-_END:]}"
    grams = hashed(normalised(frame))
    numbers = (1 + number for number, mark in enumerate(_MARKS) if mark in marks)
    found = np.array([0, *numbers, *(_GRAMS + gram for gram in grams)], dtype=np.intp)
    counted = np.ones(1 + len(marks), dtype=np.float32)
    return found, np.concatenate([counted, scaled(grams)])


def _begins_with_self(frame: str) -> bool:
    """Return whether the text begins in the first person, as programs' prompts seldom do."""
    return self_share(frame.lstrip()[:_FIRST]) > 0


def _odds(weights: npt.NDArray[np.float32], parts: Parts, text: str) -> float:
    found, values = columns(parts, text)
    return float(weights[found] @ values)


def _marks(parts: Parts, text: str) -> set[str]:
    frame = parts.frame
    headings = len({found["name"].strip().casefold() for found in HEADING.finditer(text)})
    rules = len(RULE_LINE.findall(frame))
    words, lines, share = len(WORD.findall(frame)), frame.count("\n") + 1, self_share(frame)
    shape = {
        "heading": headings > 0,
        "two headings": headings > 1,
        "four headings": headings > 3,
        "end label": END_LABEL.search(text.rstrip()) is not None,
        "rule": rules > 0,
        "three rules": rules > 2,
        "JSON answer": JSON_ANSWER.search(text) is not None,
        "document": parts.has_document,
        "transcript": parts.has_transcript,
        "begins with self": _begins_with_self(frame),
        "no self": share == 0,
        "some self": share >= SOME_SELF,
        "much self": share >= MUCH_SELF,
        "12 words": words >= 12,
        "40 words": words >= 40,
        "120 words": words >= 120,
        "5 lines": lines >= 5,
        "20 lines": lines >= 20,
    }
    signs = {name for name, (_, signal) in TASK_SIGNALS.items() if signal.search(frame)}
    return signs | {name for name, is_so in shape.items() if is_so}


@functools.cache
def load_weights() -> Weights:
    """Read the committed weights, once per process."""
    file = resources.files(__package__).joinpath(WEIGHTS_FILE)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return Weights(**{name: arrays[name].astype(np.float32) for name in arrays.files})
