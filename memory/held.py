"""What a held memory is looked at by: the kind of its reason, the words that raised it, and what
differs between two texts.

A reason is one line (for a finding see assessor.screening: where the words stand, and what they
do), and the words in quotation marks. What comes before the words is its kind.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

UNSURE = "The judge was not sure"
CONFLICT = "It contradicts what is known"
QUOTE_BEGINS = ": “"
MAX_QUOTED = 200  # characters
MAX_COMPARED = 4000  # characters; what is longer is shown whole, as one change
_WORDS = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|\s+|.", re.DOTALL)


@dataclass(frozen=True)
class Span:
    """A piece of a text, and whether it stayed, was added, or was left out."""

    kind: Literal["same", "added", "removed"]
    text: str


def because(kind: str, quote: str) -> str:
    """A reason: its kind, and on one line the words that are the evidence, if there are any."""
    quote = " ".join(quote.split())
    cut = quote if len(quote) <= MAX_QUOTED else f"{quote[:MAX_QUOTED]}…"
    return f"{kind}{QUOTE_BEGINS}{cut}”" if cut else kind


def kind_of(reason: str) -> str:
    """What is the same in the reasons of alike findings."""
    return reason.partition(QUOTE_BEGINS)[0]


def quote_of(reason: str) -> str:
    """The words that raised it, on one line and perhaps cut; empty if the reason quotes none."""
    return reason.partition(QUOTE_BEGINS)[2].removesuffix("”")


def parted(text: str, quote: str) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is the quote, however its lines are broken."""
    words = [re.escape(word) for word in quote.removesuffix("…").split()]
    found = re.search(r"\s+".join(words), text, re.IGNORECASE) if words else None
    if found is None:
        return [(text, False)]
    pieces = [(text[: found.start()], False), (found.group(), True), (text[found.end() :], False)]
    return [(piece, is_quote) for piece, is_quote in pieces if piece]


def compared(old: str, new: str) -> Sequence[Span]:
    """What was left out of the old text and added in the new, word by word."""
    if len(old) + len(new) > MAX_COMPARED:
        return [Span("removed", old), Span("added", new)]
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    spans = []
    for operation, i, j, k, m in SequenceMatcher(None, before, after, False).get_opcodes():
        if operation == "equal":
            spans.append(Span("same", "".join(before[i:j])))
            continue
        pieces = [Span("removed", "".join(before[i:j])), Span("added", "".join(after[k:m]))]
        spans += [span for span in pieces if span.text]
    return spans
