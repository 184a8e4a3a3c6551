"""Splits the text of a document into passages: a few sentences that belong together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reader.sentences import split_sentences

LENGTH = 400
"""A passage ends at the sentence that reaches this many characters."""
LONGEST = 2000  # characters of a passage whose sentences do not end, such as a table
_PARAGRAPH = re.compile(r"\n\s*\n")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_LINE_IN_SENTENCE = re.compile(r"(?<![.!?:;。！？：；\n])\n(?![\n\-*•#>|\d])")


@dataclass(frozen=True)
class Passage:
    """A part of a document; `page` counts from 1."""

    text: str
    page: int


def passages_of(pages: Sequence[str]) -> list[Passage]:
    """Return the passages of all pages in order."""
    return [Passage(text, page) for page, words in enumerate(pages, 1) for text in _split(words)]


def _split(text: str) -> Iterator[str]:
    """Yield the passages of a page. A heading stays with the paragraph below it."""
    heading = ""
    for paragraph in _PARAGRAPH.split(text.replace("\r\n", "\n").replace("\r", "\n")):
        words = _LINE_IN_SENTENCE.sub(" ", paragraph).strip()
        if not words:
            continue
        if _HEADING.match(words) and "\n" not in words:
            heading = f"{words}\n"
            continue
        yield from _grouped(heading, split_sentences(words))
        heading = ""


def _grouped(heading: str, sentences: Sequence[str]) -> Iterator[str]:
    """Yield the sentences in groups of about LENGTH characters, the first below the heading."""
    group = heading
    for sentence in sentences:
        for start in range(0, len(sentence), LONGEST):
            group += sentence[start : start + LONGEST]
            if len(group) >= LENGTH:
                yield group
                group = ""
        group += "\n" if group else ""
    if group.strip():
        yield group.strip()
