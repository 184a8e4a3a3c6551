"""Differences between two texts, word by word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

MAX_COMPARED = 4000  # characters; longer texts are shown whole, as one change
# Scripts without spaces are split into characters.
_WORDS = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|\s+|.", re.DOTALL)


@dataclass(frozen=True)
class Span:
    """A piece of a text: unchanged, added or removed."""

    kind: Literal["same", "added", "removed"]
    text: str


def compared(old: str, new: str) -> Sequence[Span]:
    """Return the unchanged, removed and added pieces of two texts, word by word."""
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
