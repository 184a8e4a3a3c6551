"""Assesses one message with the reader, for use without a configured model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import cast

from assessor.facts import Fact as Statement
from assessor.local.tagging import find_tags, find_topics
from memory.drafts import Facets, MemoryTypeName
from reader import Fact, Message, Reading, read
from reader.sentences import question_before, sentences_around, split_sentences
from reader.statement import STEPS
from reader.vocabulary import pieces_of

MAX_LENGTH = 300  # characters of a summary
SHORT_ANSWER, ANSWER = 4, 16
"""An answer of at most so many pieces says little without its question, or perhaps enough. What
stands before other messages only misleads."""
LEFT_OUT = 0.19
"""The most that a message is worth whose facts are unlikely to be worth keeping."""
KEPT = 0.5
"""The least worth of a message that probably holds a fact."""
EVERYDAY, _, FOR_GOOD = STEPS
# The importances between which the default policy keeps a memory for days, for months, forever.
DAYS, MONTHS, FOREVER = 0.45, 0.69, 0.7
PASSING = ("event", "todo")
LIKELY_FOREVER = 0.5
"""A lasting fact of at least this importance is kept forever."""
DIGITS = 3
HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
"""Stands before most prompts of programs, but also before a heading of a document."""
ALONE = 0.4
"""A fact whose words alone are worth less is a piece of another."""
JOINING = 2
"""The most words between two facts that only join them."""
BORDERS = " ,;:\u2013\u2014\uff0c\uff1b\uff1a\u3001\u060c"


@dataclass(frozen=True)
class LocalResult:
    """The built-in assessment of an exchange. `importance` and `confidence` are in [0, 1].

    With facets, the importance follows from them. `facts` has the statements of a message that has
    several sentences with facts.
    """

    importance: float
    memory_type: str
    summary: str
    tags: list[str]
    topics: list[str]
    confidence: float
    reasoning: str
    facets: Facets | None = None
    facts: list[Statement] = field(default_factory=list)


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
    text = HEADING.sub(lambda sign: " " * len(sign.group()), user_message.strip()) or "…"
    reading, question = _read(text, earlier[-1] if earlier else "", assistant_response)
    best = max(reading.facts, key=lambda fact: fact.importance) if is_kept(reading) else None
    memory_type = cast(MemoryTypeName, best.type if best else "observation")
    facets = _facets(reading, best) if with_facets else None
    importance = facets.importance if facets else round(_importance(reading, best), DIGITS)
    return LocalResult(
        importance=importance,
        memory_type=memory_type,
        summary=_summary(text, reading.facts, question),
        tags=find_tags(text, memory_type),
        topics=find_topics(text),
        confidence=round(max(reading.worth, 1 - reading.worth), DIGITS),
        reasoning=_reasoning(reading, memory_type, best.sureness if best else 0.0),
        facets=facets,
        facts=_statements(text, reading, with_facets) if best else [],
    )


def is_kept(reading: Reading) -> bool:
    """Return whether the message probably holds a fact worth keeping."""
    return reading.worth >= KEPT and bool(reading.facts)


def worth_of(text: str, before: str = "") -> float:
    """Return the probability that the message, after a question, holds a fact worth keeping."""
    return read(Message(text, before)).worth


def _read(text: str, before: str, reply: str) -> tuple[Reading, str]:
    """Return the reading of a message and, for a short one, the sentence that explains it: the
    question before it, or else the reply that repeats what it confirms."""
    length, question = len(pieces_of(text)), question_before([before])
    if length > SHORT_ANSWER:
        reading = read(Message(text))
        needs_it = question and length <= ANSWER and not is_kept(reading)
        return (read(Message(text, before)) if needs_it else reading), ""
    reading = read(Message(text, before if question else ""))
    if before or is_kept(reading):
        return reading, question
    beside = read(Message(text, reply))
    return (beside, " ".join(split_sentences(reply)[-1:])) if is_kept(beside) else (reading, "")


def _importance(reading: Reading, best: Fact | None) -> float:
    """Return what the message is worth: as much as makes it live as long as its best fact should,
    and little if it probably holds none."""
    if best is None:
        return min(reading.importance, LEFT_OUT) * 2 * min(reading.worth, 0.5)
    return living(reading.importance, best)


def living(importance: float, fact: Fact) -> float:
    """Return the importance within the bounds that the fact's persistence P sets."""
    persistence = fact.facets["P"]
    if persistence == FOR_GOOD:
        return max(importance, FOREVER) if importance >= LIKELY_FOREVER else importance
    if persistence == EVERYDAY and fact.type != "todo":
        return min(importance, DAYS)
    return min(importance, MONTHS) if fact.type in PASSING else importance


def _facets(reading: Reading, best: Fact | None) -> Facets:
    """Return the facets of the most important fact, and those of everyday life without one."""
    if best is None:
        share = LEFT_OUT * reading.worth
        return Facets(P=EVERYDAY, I=round(share, DIGITS), J=round(share, DIGITS))
    return Facets(**{name: round(value, DIGITS) for name, value in best.facets.items()})


def _statements(text: str, reading: Reading, with_facets: bool) -> list[Statement]:
    """Return each part with facts as a statement of its own; none if there are not several."""
    told = sentences_around(text, [(fact.start, fact.end) for fact in reading.facts])
    parts = [part for start, end in told for part in _parts(text, start, end, reading.facts)]
    if len(parts) < 2:
        return []
    return [
        _statement(shortened(text[start:end].strip(BORDERS)), fact, with_facets)
        for start, end, fact in parts
    ]


def _parts(text: str, start: int, end: int, facts: Sequence[Fact]) -> list[tuple[int, int, Fact]]:
    """Return the places of a sentence's parts, one for each of its facts. What stands between two
    facts belongs to the first, unless it only joins them."""
    inside = _joined(text, [fact for fact in facts if fact.start < end and fact.end > start])
    borders = [start, *(fact.start for fact in inside[1:]), end]
    parts = []
    for fact, (first, last) in zip(inside, pairwise(borders), strict=True):
        joins = last < end and len(text[fact.end : last].split()) <= JOINING
        parts.append((first, fact.end if joins else last, fact))
    return parts


def _joined(text: str, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of a sentence. Two are one if nothing stands between them, no comma and no
    "and", or if one of them says nothing alone."""
    joined = list[Fact]()
    for fact in facts:
        if joined and (
            _touch(text, joined[-1], fact)
            or not (_stands(text, joined[-1]) and _stands(text, fact))
        ):
            best = max(joined[-1], fact, key=lambda one: one.importance)
            joined[-1] = replace(best, start=joined[-1].start, end=fact.end)
        else:
            joined.append(fact)
    return joined


def _touch(text: str, first: Fact, second: Fact) -> bool:
    between = text[first.end - 1 : second.start].strip()
    return len(between) == 1 and between.isalnum()


def _stands(text: str, fact: Fact) -> bool:
    return read(Message(text[fact.start : fact.end])).worth >= ALONE


def _statement(text: str, fact: Fact, with_facets: bool) -> Statement:
    facets = Facets(**fact.facets) if with_facets else None
    return Statement(
        text=text,
        importance=facets.importance if facets else round(living(fact.importance, fact), DIGITS),
        memory_type=cast(MemoryTypeName, fact.type),
        tags=find_tags(text, fact.type),
        topics=find_topics(text),
        facets=facets.stored() if facets else None,
        confidence=round(fact.sureness, DIGITS),
    )


def _summary(text: str, facts: Sequence[Fact], question: str) -> str:
    """Return the sentences with facts; a short answer is followed by its question."""
    if question:
        return f"{text} ({question})"[:MAX_LENGTH]
    told = sentences_around(text, [(fact.start, fact.end) for fact in facts])
    return shortened(" ".join(text[start:end] for start, end in told) or text)


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
