"""The time that a question is about: now, a given day, or the past.

A question about the past ("where did I live before Porto?", "what did I use to drink?", "where did
I live in March 2024?") also finds memories that were true then and were superseded later, and
prefers them. Any other question is about now.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from memory.text.event_dates import asking_part, event_in
from memory.text.lexemes import indexed

Kind = Literal["now", "as_of", "past", "before", "during"]
EARLIEST = date(1000, 1, 1)
"""The earliest day that can be asked about, because "yesterday" and "last year" need
earlier days.
"""
PAST_KINDS = frozenset[Kind](("past", "before", "during"))
"""The kinds of time for which superseded memories are preferred."""

_BEFORE = re.compile(
    r"(?<!day )\bbefore (?P<what>[\w'’.& -]{2,60}+)(?![\w'’.& -])"
    r"|(?P<chinese>[^，。？！,.?!]{2,30}?)(?:之前|以前)",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\bdid (?:\w+ ){1,2}use to\b|\bused to\b|\bprevious(?:ly)?\b|\bformer(?:ly)?\b"
    r"|\bin the past\b|\bback then\b|\bbefore\s*[?.!]*$"
    r"|之前|以前|过去|曾经|原来|从前|先前|当时|那时",
    re.IGNORECASE,
)
# The words of "before I moved to Porto" and "我搬到波尔图之前" that name nothing.
_NO_NAME = re.compile(
    r"\b(?:i|we|you|he|she|they|it|my|our|that|this|then|now|the|a|an|was|am|is|were|to|in|at|with"
    r"|on|for|moved?|moving|came|coming|went|going|started?|starting|switched|switching|changed"
    r"|changing|joined|joining|got|getting|bought|buying|had|having)\b"
    r"|用户|现在|开始|搬到|搬去|搬来|换到|换成|改用|改成|加入|来到|去了|[我你您他她在来去住用到的了]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AskedTime:
    """The time that a question is about.

    now      the present
    as_of    memories that were true at `since`, which is `until`
    past     also what was superseded
    before   the same, first what was superseded by a memory with one of the words in `before`
    during   also what was superseded, if it was true at some moment from `since` to `until`
    """

    kind: Kind = "now"
    before: str = ""
    since: datetime | None = None
    until: datetime | None = None


def asked_time(question: str, now: datetime, as_of: datetime | None = None) -> AskedTime:
    """Return the time that the question is about, asked at `now`; `as_of` is a given moment."""
    if as_of is not None:
        return AskedTime("as_of", since=as_of, until=as_of)
    question = asking_part(question)
    if found := _BEFORE.search(question):
        names = _names(found)
        return AskedTime("before", before=names) if names else AskedTime("past")
    if _FORMER.search(question):
        return AskedTime("past")
    return _during(question, now)


def _names(found: re.Match[str]) -> str:
    """Return the words that name the later event, joined by "or" for PostgreSQL's websearch."""
    said = indexed(_NO_NAME.sub(" ", found["what"] or found["chinese"]))
    return " or ".join(re.findall(r"\w+", said))


def _during(question: str, now: datetime) -> AskedTime:
    event = event_in(question, now)
    if event is None or event.ends_at > now:
        return AskedTime()
    until = event.ends_at - timedelta(microseconds=1)
    return AskedTime("during", since=event.begins_at, until=until)
