"""The sets of texts with which voices are measured, and what the measures share."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assessor.local.assessing import is_kept
from reader import Message, read

Line = dict[str, Any]


def lines(name: str) -> list[Line]:
    """Return the lines of a set."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def kept(text: str) -> bool:
    """Return whether the built-in assessor would keep a fact of this message."""
    return is_kept(read(Message(text)))


def teaches(text: str, words: str) -> bool:
    """Return whether it would keep these words of the message."""
    reading, place = read(Message(text)), text.index(words)
    told = (fact.start < place + len(words) and fact.end > place for fact in reading.facts)
    return is_kept(reading) and any(told)


def share(found: Iterable[bool]) -> float:
    """Return the share of True."""
    each = list(found)
    return sum(each) / len(each)
