"""Assesses one message with the reader, for use without a configured model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assessor.local.tagging import find_tags, find_topics
from memory.drafts import Facets
from reader import Fact, Message, Reading, read
from reader.sentences import sentences_around, split_sentences

MAX_LENGTH = 300  # characters of a summary
SHORT_ANSWER = 3
"""An answer of at most this many words says little without its question."""
LEFT_OUT = 0.19
"""The most that a message is worth whose facts are unlikely to be worth keeping."""
DIGITS = 3


@dataclass(frozen=True)
class LocalResult:
    """The built-in assessment of an exchange. `importance` and `confidence` are in [0, 1].

    With facets, the importance follows from them.
    """

    importance: float
    memory_type: str
    summary: str
    tags: list[str]
    topics: list[str]
    confidence: float
    reasoning: str
    facets: Facets | None = None


def assess(
    user_message: str,
    assistant_response: str = "",
    *,
    earlier: Sequence[str] = (),
    with_facets: bool = False,
) -> LocalResult:
    """Assess one exchange. `earlier` is the conversation before the exchange, both sides, the
    latest text last.

    Only the user's text is assessed. A short answer is read after its question, or beside the reply
    that repeats it.
    """
    text = user_message.strip() or "…"
    is_short = len(text.split()) <= SHORT_ANSWER
    before = earlier[-1] if earlier else assistant_response if is_short else ""
    reading = read(Message(text, before))
    best = max(reading.facts, key=lambda fact: fact.importance, default=None)
    memory_type = best.type if best else "observation"
    assessed = LocalResult(
        importance=round(_importance(reading), DIGITS),
        memory_type=memory_type,
        summary=_summary(text, reading.facts, before if is_short else ""),
        tags=find_tags(text, memory_type),
        topics=find_topics(text),
        confidence=round(max(reading.worth, 1 - reading.worth), DIGITS),
        reasoning=_reasoning(reading, memory_type, best.sureness if best else 0.0),
    )
    return _by_facets(assessed, reading, best) if with_facets and best else assessed


def teaches_nothing(text: str) -> bool:
    """Return whether the message surely says nothing that is worth keeping."""
    return read(Message(text)).worth < SURELY_NOT


SURELY_NOT = 0.1


def _importance(reading: Reading) -> float:
    """Return what the message is worth; little if it probably holds no fact."""
    if reading.worth >= 0.5:
        return reading.importance
    return min(reading.importance, LEFT_OUT) * 2 * reading.worth


def _by_facets(assessed: LocalResult, reading: Reading, best: Fact) -> LocalResult:
    """Return the assessment by the facets of the most important fact."""
    share = 1.0 if reading.worth >= 0.5 else LEFT_OUT * reading.worth
    scaled = {name: round(value * share, DIGITS) for name, value in best.facets.items()}
    facets = Facets(**scaled)
    return replace(assessed, importance=facets.importance, facets=facets)


def _summary(text: str, facts: Sequence[Fact], question: str) -> str:
    """Return the sentences with facts; a short answer is followed by its question."""
    if asked := split_sentences(question)[-1:]:
        return f"{text} ({asked[0]})"[:MAX_LENGTH]
    told = sentences_around(text, [(fact.start, fact.end) for fact in facts])
    return shortened(" ".join(told) or text)


def shortened(text: str) -> str:
    """Return at most MAX_LENGTH characters of a text, cut between words where it has spaces."""
    if len(text) <= MAX_LENGTH:
        return text
    head = text[: MAX_LENGTH - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[-40:] else head).rstrip(" ,;") + "\u2026"


def _reasoning(reading: Reading, memory_type: str, sureness: float) -> str:
    voice = reading.voice.replace("_", " ")
    return (
        f"Reads like {memory_type} ({sureness:.0%} sure); worth keeping: {reading.worth:.0%}; "
        f"voice: {voice}"
    )
