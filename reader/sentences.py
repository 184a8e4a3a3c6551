"""Splits a message into sentences, the units of scoring and of the summary."""

import re
from collections.abc import Sequence
from itertools import pairwise

IMAGE = re.compile(r"\[image: [^\[\]]*\]")

# . ! ? … end a sentence only before white space (not in 3.5, example.org) or, in Chinese, before a
# Chinese character; the full-width marks always do.
_END = re.compile(
    r"(?<=[.!?\u2026])[\"')\]]*+\s++(?![^\[\]]{0,200}\])|(?<=[!?;])(?=[\u3400-\u9fff])"
    r"|(?<=[\u3002\uff01\uff1f\uff1b])[\u201d\u300d\uff09]*\s*"
    r"|(?<!\s)[^\S\n]*+\n\s*+|(?<!\s)\s++(?=\[image: )"
)
_ABBREVIATION = re.compile(r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e)|\b[A-Z])\.$", re.I)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of `text` in order, stripped, none empty; [] for blank text."""
    return [text[start:end] for start, end in sentence_places(text)]


def sentence_places(text: str) -> list[tuple[int, int]]:
    """Return where each sentence begins and ends, without the white space around it."""
    found = []
    for start, end in pairwise([0, *sentence_ends(text), len(text)]):
        if said := text[start:end].strip():
            begin = text.index(said, start)
            found.append((begin, begin + len(said)))
    return found


def sentence_ends(text: str) -> list[int]:
    """Return the places where one sentence ends and the next begins."""
    ends: list[int] = []
    start = 0
    for match in _END.finditer(text):
        sentence = text[start : match.end()].strip()
        if sentence and not _ABBREVIATION.search(sentence, max(0, len(sentence) - 8)):
            start = match.end()
            ends.append(start)
    return ends


def question_before(earlier: Sequence[str]) -> str:
    """Return the question with which the last of the texts ends, "" without one."""
    last = split_sentences(earlier[-1])[-1:] if earlier else []
    return last[0] if last and last[0].endswith(("?", "\uff1f")) else ""


def sentences_around(text: str, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return where the sentences begin and end that share a letter with one of the places."""
    return [
        (start, end)
        for start, end in sentence_places(text)
        if any(a < end and b > start for a, b in places)
    ]
