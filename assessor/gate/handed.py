"""Finds the text that a person pastes to have it worked on, and separates it from their own words.

The request marks the boundary. The text comes after its colon or line end, or before the request.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from assessor.gate.requests import LONGEST_CLAUSE, Whose, whose_text
from assessor.gate.wording import choice, pattern

# A longer text never counts as the sender's own.
LONG_TEXT = 300  # characters
_MOST_BOUNDARIES = 12
_BOUNDARY = re.compile(
    r"[:：](?![/\d])[*_]{0,3}|[-=]>|→|\n|[?.!？。！][ \t]?(?=[\"“「«„])|[?？] ?(?=[^\s\"“「«„])"
)
_SENTENCE_END = re.compile(r"[.!?。！？\n](?=\s|[\u3400-\u9fff]|\Z)|[;；](?=\s)")
_QUOTED = re.compile(
    r"\s{0,9}(?:\"[^\"]{1,4000}\"|“[^“”]{1,4000}”|„[^„“”]{1,4000}[“”]|«[^«»]{1,4000}»"
    r"|「[^「」]{1,4000}」|『[^『』]{1,4000}』|‘[^‘’]{1,4000}’)"
)
_RULED = re.compile(
    r"\A\s{0,9}(?P<rule>[-=*]{3,20})[ \t]*\n.*?\n(?P=rule)[ \t]*(?:\n|\Z)", re.DOTALL
)
# Replaces a part that was recognised earlier.
_MARK = re.compile(r"\s{0,9}…(?=\n)")
SELF = pattern("self")
STATED = pattern("stated")
_ABOUT_REQUEST = pattern("about_request")
# A question to the assistant after the text: "What should I answer?"
_ASKS = re.compile(
    rf"(?:{choice('asks')})\b[^.!?\n]{{0,160}}\b(?:{choice('advice')})\b[^.!?\n]{{0,80}}\?"
    r"|(?:我|怎么|该|这|他|她)[^。？！\n]{0,30}(?:回|答|办|意思|吗|呢|什么)[^。？！\n]{0,10}[？?]",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"(?<![^.!?。！？\n])[^.!?。！？\n]++[?？]")
_LAST_WORDS = 25
# A text by the sender mentions them at its beginning.
_FIRST_WORDS = 80  # characters


@dataclass(frozen=True)
class Handed:
    """The span of a pasted text in a message, and its author."""

    start: int
    end: int
    whose: Whose


@dataclass(frozen=True)
class Clause:
    """The span of a clause, and the mark at its end."""

    start: int
    end: int
    ends_with: str

    @property
    def at_colon(self) -> bool:
        """Return whether the clause ends with a colon or an arrow."""
        return self.ends_with in ":：->→="


Span = tuple[int, int]


def handed_in(text: str) -> Handed | None:
    """Return the text that a message hands over, or None."""
    found = _after_request(text) or _before_request(text)
    if found is None:
        return None
    asked, handed = found
    shown = text[handed.start : handed.end]
    begin, end = min(asked[0], handed.start), max(asked[1], handed.end)
    on_self = SELF.search(shown.lstrip()[:_FIRST_WORDS]) is not None
    if handed.whose is Whose.GUESSED and not on_self:
        return None
    around = _QUESTION.sub("", f"{text[:begin]}\n{text[end:]}")
    is_maybe = handed.whose is not Whose.OTHERS and len(shown) <= LONG_TEXT and on_self
    whose = Whose.UNKNOWN if is_maybe and not SELF.search(around) else Whose.OTHERS
    return Handed(handed.start, handed.end, whose)


def _after_request(text: str) -> tuple[Span, Handed] | None:
    """Return a request and the text after its colon, question mark or line."""
    for clause in clauses_of(text):
        rest = text[clause.end :]
        if not rest.strip(" \n…"):
            continue
        whose = whose_text(text[clause.start : clause.end], at_colon=clause.at_colon)
        if whose is None:
            continue
        if clause.ends_with in "?？.!。！" and (whose is Whose.GUESSED or not _is_text(rest)):
            continue
        if whose is not Whose.OTHERS and _QUESTION.match(rest.lstrip()):
            continue  # their own question: "Answer this: …?"
        length = _length(rest)
        handed = Handed(clause.end, clause.end + length, whose)
        return (_start_of_request(text, clause), clause.end), handed
    return None


def _start_of_request(text: str, clause: Clause) -> int:
    """Return where the request begins: "I'm moving to Oslo, can you translate this:"."""
    comma = max(text.rfind(mark, clause.start, clause.end) for mark in ",，;；")
    is_request = comma > 0 and whose_text(text[comma + 1 : clause.end], at_colon=clause.at_colon)
    return comma if is_request else clause.start


def _is_text(rest: str) -> bool:
    """Return whether the rest of a question's line is a text: quoted, or in the first person."""
    if _QUOTED.match(rest):
        return True
    return SELF.search(rest) is not None and not _ABOUT_REQUEST.match(rest.lstrip())


def _before_request(text: str) -> tuple[Span, Handed] | None:
    """Return a request in the last line and the text before it."""
    start = len(text[: len(text.rstrip())].rpartition("\n")[0])
    last = text[start:]
    if not text[:start].strip(" \n…") or len(last.split()) > _LAST_WORDS:
        return None
    for clause in _SENTENCE_END.split(last):
        whose = whose_text(clause, follows=False) if clause.strip() else None
        if whose is not None:
            return (start, len(text)), Handed(0, start, whose)
    return None


def clauses_of(text: str) -> Iterator[Clause]:
    """Yield the clauses before a colon, a question mark or the end of a line."""
    for found in islice(_BOUNDARY.finditer(text), _MOST_BOUNDARIES):
        first = max(0, found.start() - 2 * LONGEST_CLAUSE)
        before = text[first : found.start()].rstrip(" \t.?!。？！")
        ends = [0, *(end.end() for end in _SENTENCE_END.finditer(before))]
        line = before.rfind("\n") + 1
        is_line = found[0] == "\n"
        for start in reversed(ends if is_line else ends[-1:]):
            if start >= line or start == ends[-1]:
                yield Clause(first + start, found.end(), found[0][:1].strip() or "\n")


def _length(rest: str) -> int:
    """Return the length of the text after a request: a quotation, or everything up to a question to
    the assistant.
    """
    if quoted := _QUOTED.match(rest) or _RULED.match(rest) or _MARK.match(rest):
        return quoted.end()
    if (last := _own_paragraph(rest)) is not None:
        return last
    for sentence in _SENTENCE_END.finditer(rest):
        begin = sentence.end()
        while begin < len(rest) and rest[begin] in " \n\t":
            begin += 1
        if _ASKS.match(rest, begin):
            return begin
    return len(rest)


def _own_paragraph(rest: str) -> int | None:
    """Return where the last paragraph begins, if it is the only one in the first person.

    "Here's the mail from school: … My son has no rain jacket."
    """
    start = rest.rstrip().rfind("\n\n")
    if start <= 0 or not rest[:start].strip() or SELF.search(rest[:start]):
        return None
    last = rest[start:]
    is_own = len(last.split()) <= _LAST_WORDS and SELF.search(last) is not None
    return start if is_own else None
