"""A claim: the parts of a statement that another statement can deny."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

Topic = tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """The value, as a set of words, that a statement gives to a topic with one value at a time.

    A claim that is not `firm` may be true beside another value: somebody who uses Windows may use
    Linux, too. It can be denied, but denies nothing itself.
    """

    topic: Topic
    value: frozenset[str]
    firm: bool = True

    def denies(self, older: "Claim") -> bool:
        """Return true if the older claim is outdated. A more exact value denies nothing: a Pixel
        and a Pixel 8 are one phone."""
        both = self.value <= older.value or older.value <= self.value
        return self.firm and self.topic == older.topic and not both

    def repeats(self, older: "Claim") -> bool:
        """Return true if both say the same of the same."""
        return self.topic == older.topic and self.value == older.value


def any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of any of these, as whole words; of two, the longer is found."""
    longest_first = "|".join(sorted(patterns, key=len, reverse=True))
    return re.compile(rf"\b(?:{longest_first})(?!\w)", re.IGNORECASE)


def topic(kind: str, words: frozenset[str], *more: str) -> Topic:
    """Return the topic of a kind that is about these words."""
    return (kind, *more, *sorted(words))
