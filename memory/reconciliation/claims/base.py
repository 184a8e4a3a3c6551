"""A claim: the parts of a statement that another statement can deny."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

Topic = tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """The value, as a set of words, that a statement gives to a topic with one value at a time.

    A claim that is not `firm` may be true together with another value: someone who uses Windows may
    also use Linux. Such a claim can be denied, but denies nothing itself.
    """

    topic: Topic
    value: frozenset[str]
    firm: bool = True

    def denies(self, older: "Claim") -> bool:
        """Return true if the older claim is outdated. A more specific value denies nothing: a Pixel
        and a Pixel 8 are the same phone.
        """
        both = self.value <= older.value or older.value <= self.value
        return self.firm and self.topic == older.topic and not both

    def repeats(self, older: "Claim") -> bool:
        """Return true if both give the same value to the same topic."""
        return self.topic == older.topic and self.value == older.value


@dataclass(frozen=True)
class Doing:
    """An activity or a state of someone, affirmed or denied.

    Someone who does not smoke does not smoke a pipe either: a denial includes everything more
    specific. `closing` are the words that no noun follows, because "likes fish tanks" is not about
    fish.
    """

    subject: str
    about: frozenset[str]
    last: str
    closing: frozenset[str]
    denied: bool
    certain: bool = True
    renewed: bool = False
    """True if the text says "now" or "again", which ends any earlier denial."""

    def denies(self, older: "Doing") -> bool:
        """Return true if one of the two denies what the other says, or says more specifically."""
        general, exact = (self, older) if self.denied else (older, self)
        if self.denied == older.denied or self.subject != older.subject:
            return False
        if not general.certain and not exact.renewed:
            return False
        return general.about <= exact.about and general.last in exact.closing


def any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern that matches any of these as whole words; a longer one before a shorter
    one.
    """
    longest_first = "|".join(sorted(patterns, key=len, reverse=True))
    return re.compile(rf"\b(?:{longest_first})(?!\w)", re.IGNORECASE)


def topic(kind: str, words: frozenset[str], *more: str) -> Topic:
    """Return the topic of a kind that is about these words."""
    return (kind, *more, *sorted(words))
