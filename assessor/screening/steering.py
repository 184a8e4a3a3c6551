"""Finds words for which a person must answer: attempts to steer the assistant or its memory, and
messages in which somebody else speaks. The reader's voices tell them.

Such a memory waits for review, and is never discarded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from unicodedata import category

from assessor.assessing import Exchange
from assessor.local.assessing import KEPT
from assessor.screening.masking import texts_of
from foundation.texts.forms import compatible
from memory.models.reasons import FROM_PASTED, because
from reader import Message, read
from reader.sentences import split_sentences

STEERS = 0.5
"""Least probability of a voice that steers."""
SURELY_STEERS = 0.95
"""Least probability of a sentence that steers whatever else the text says."""
QUOTED_LENGTH = 160
LIKE_AN_INSTRUCTION = "reads like an instruction to the assistant"
_MOST_SENTENCES = 24
_INVISIBLE_ASCII = {0xE0000 + code: code for code in range(0x20, 0x7F)}


class Origin(StrEnum):
    """The origin of words."""

    USER = "the user's message"
    CONTEXT = "the context"
    SUMMARY = "the summary"


@dataclass(frozen=True)
class Finding:
    """The reason for a review: the words, their origin, and the probability that they steer."""

    origin: Origin
    quote: str
    probability: float

    @property
    def reason(self) -> str:
        """The finding as one line for people."""
        kind = f"In {self.origin.value}: {LIKE_AN_INSTRUCTION}"
        return because(kind, self.quote[:QUOTED_LENGTH], sure=f"{self.probability:.0%}")


def steering(exchange: Exchange, written: Sequence[str] = ()) -> Finding | None:
    """Return the surest attempt to steer in the words that are not the assistant's, or in what was
    written of them; None if there is none."""
    found = [
        _finding(Origin.USER, exchange.user_message),
        *(_finding(Origin.CONTEXT, text) for text in texts_of(exchange.context)),
        *(_finding(Origin.SUMMARY, text) for text in written),
    ]
    surest = max(found, key=lambda one: one.probability)
    return surest if surest.probability >= STEERS else None


def why_held(span: Sequence[Exchange], written: Sequence[str]) -> str:
    """Return why a person must see what was written of exchanges, assessed together; "" if nobody
    must."""
    if finding := next(filter(None, (steering(one, written) for one in span)), None):
        return finding.reason
    pasted = (one.user_message for one in span if _is_of_others(one))
    return next((because(FROM_PASTED, text) for text in pasted), "")


def _finding(origin: Origin, text: str) -> Finding:
    """Return how likely a text steers, with the sentence that does so most.

    The whole text decides, or a sentence that surely steers: a fact beside it would hide it. Less
    sure sentences were taken for steering in 8% of the messages between people from which Ebb
    learns, the whole ones in 2%.
    """
    said = as_read(text)
    each = {one: _steers(one) for one in split_sentences(said)[:_MOST_SENTENCES]}
    quote = max(each, key=each.__getitem__, default="")
    surest = each.get(quote, 0.0)
    return Finding(origin, quote, max(_steers(said), surest if surest >= SURELY_STEERS else 0.0))


def _steers(text: str) -> float:
    return read(Message(text)).voices["steer"] if text.strip() else 0.0


def _is_of_others(exchange: Exchange) -> bool:
    """Return whether somebody else speaks, and the person says nothing beside it."""
    reading = read(Message(exchange.user_message))
    return reading.voice == "others_words" and reading.worth < KEPT


def as_read(text: str) -> str:
    """Return the text as a model reads it: with hidden letters, without signs that nobody sees."""
    shown = compatible(text.translate(_INVISIBLE_ASCII))
    return "".join(sign for sign in shown if category(sign) != "Cf")
