"""Sentences of the documentation are short, and each page says first who it is for."""

import re
from pathlib import Path
from statistics import median, quantiles

import pytest
from django.conf import settings

ROOT: Path = settings.BASE_DIR
# The change log and the roadmap are lists of notes.
NOTES = ["CHANGELOG.md", "docs/roadmap.md"]
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md")))
    if path.relative_to(ROOT).as_posix() not in NOTES
]

_NOT_PROSE = re.compile(r"^```.*?^```|<!--.*?-->|<picture>.*?</picture>|^#.*?$", re.S | re.M)
_TABLE_ROW = re.compile(r"^\|.*\|$", re.M)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_BLOCK = re.compile(r"\n\s*\n|\n\s*(?:[-*]|\d+\.) ")  # the next paragraph or item begins
_END = re.compile(r"(?<=[.!?])[*_)”\"]*\s+(?=[*_(“\"`]*[A-Z`])")


def lengths(text: str) -> dict[str, int]:
    """Count the words of each sentence in Markdown; a code span is one word."""
    sentences = [one for block in _BLOCK.split(f"\n\n{text}") for one in _END.split(block)]
    return {one.strip(): len(re.sub(r"`[^`]+`", "code", one).split()) for one in sentences if one}


def prose(page: str) -> str:
    return _LINK.sub(r"\1", _NOT_PROSE.sub("\n\n", (ROOT / page).read_text("utf-8")))


def sentences(page: str) -> dict[str, int]:
    """Count the words of the sentences outside of tables, with fragments of at least three."""
    return {said: n for said, n in lengths(_TABLE_ROW.sub("\n", prose(page))).items() if n > 2}


def cells(page: str) -> dict[str, int]:
    """Count the words of the sentences in tables."""
    rows = _TABLE_ROW.findall(prose(page))
    return lengths("\n\n".join(cell for row in rows for cell in row.strip("|").split("|")))


def test_sentences_are_counted() -> None:
    counted = lengths("One `two three` four. Five six!\n- Seven.\n\nEight nine")

    assert list(counted.values()) == [3, 2, 1, 2]


@pytest.mark.parametrize("page", PAGES)
def test_no_sentence_is_longer_than_45_words(page: str) -> None:
    assert {said: n for said, n in (sentences(page) | cells(page)).items() if n > 45} == {}


def test_most_sentences_are_short() -> None:
    counts = [n for page in PAGES for n in sentences(page).values()]

    assert len(counts) > 500
    assert median(counts) <= 16
    assert quantiles(counts, n=10)[-1] <= 30


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_first_who_it_is_for(page: str) -> None:
    assert re.match(r"# .+\n\n\*For .+\.\*\n\n", (ROOT / page).read_text("utf-8"))
