"""Recognises requests that introduce a pasted text: "Can you translate this:".

Reads a request clause by clause, in eight languages. Its words (words/requests.toml and work.toml)
show whose text it may be.
"""

import re
from enum import StrEnum

from assessor.gate.wording import chinese, choice, pattern

# Maximum number of characters read per clause.
LONGEST_CLAUSE = 160


class Whose(StrEnum):
    """The author of a text that a request hands over."""

    OTHERS = "others"
    UNKNOWN = "unknown"
    # Only a first-person text counts as handed over.
    GUESSED = "guessed"


_POINTER = pattern("pointer")
_LANGUAGE = pattern("language")
_OTHERS_TEXT = pattern("text_of_others")
_ANY_TEXT = pattern("any_text")
_SENT = pattern("sent")
_SOURCE = pattern("source")
_BY_SOMEBODY = pattern("by_somebody")
_DRAFT = pattern("draft")
_SUBJECT = pattern("subject")
_SPEAKS = pattern("speaks")
_MADE = pattern("made")
_OWN = pattern("own")
_OWN_DOING = pattern("own_doing")
_AUTHORS_WORK = pattern("authors_work")
_SUMS_UP = pattern("sums_up")
_MEANS = pattern("means")
_WEAK_WORK = pattern("weak_work")
_LABEL = re.compile(
    rf"(?:(?:the|original|source|input|full|customer|student) )?(?:{choice('label')})(?: \d)?"
    rf"|(?:{chinese('label')})",
    re.IGNORECASE,
)
# A use of the text, which does not show its author.
_FOR_USE = re.compile(
    r"\b(?:for|on|in|about) (?:my|our)"
    rf" (?!(?:\w+ ){{0,2}}(?:{choice('kin')})?(?:{choice('person')})\b)\w{{2,20}}",
    re.IGNORECASE,
)
_I_NEED = re.compile(r"\bi(?:['’]d like| need| want)\b", re.IGNORECASE)
_I = re.compile(r"(?:i|we)\b", re.IGNORECASE)


def whose_text(clause: str, *, at_colon: bool = False, follows: bool = True) -> Whose | None:
    """Return the author of the text that this clause hands over, or None if it hands over none.

    `at_colon` is true if the clause ends with a colon instead of the line, `follows` if the text
    comes after the clause.
    """
    clause = clause.strip(" \t*_#-–—>.?!。？！:：¿¡=→\"'")[-LONGEST_CLAUSE:]
    given = _MADE.sub(" ", clause)
    points = _POINTER.search(clause) is not None
    named = _OTHERS_TEXT.search(given) is not None
    text = named or _ANY_TEXT.search(given) is not None
    if _SENT.search(clause) and (at_colon or points):
        return Whose.OTHERS
    if is_of_sender(clause):
        return None
    if _SOURCE.search(clause) and (points or (text and not _I.match(clause))):
        return Whose.OTHERS
    if _asks_for_work(clause, is_marked=at_colon or points or text, follows=follows or text):
        by_reader = text and not _AUTHORS_WORK.search(clause)
        return Whose.OTHERS if named or by_reader else Whose.UNKNOWN
    if text and points and _WEAK_WORK.search(clause):
        return Whose.OTHERS if named else Whose.UNKNOWN
    if follows and not _SUBJECT.search(_I_NEED.sub("", clause)):
        is_name = text and points or _DRAFT.match(clause) or _BY_SOMEBODY.search(clause)
        in_language = _LANGUAGE.search(clause) and not _SPEAKS.search(clause)
        if is_name or (at_colon and (in_language or _LABEL.fullmatch(clause))):
            return Whose.GUESSED
    return None


def is_of_sender(clause: str) -> bool:
    """Return whether a clause calls the text the sender's own, or says what they did."""
    return bool(_OWN.search(_FOR_USE.sub("", clause)) or _OWN_DOING.search(clause))


def _asks_for_work(clause: str, *, is_marked: bool, follows: bool) -> bool:
    """Return whether a clause asks for work on a text. It must point to the text, name a language,
    or be short.
    """
    works = _SUMS_UP.search(clause) or _AUTHORS_WORK.search(clause)
    if not works and not (follows and _MEANS.search(clause)):
        return False
    is_bare = len(clause.split()) <= 3
    return is_marked or is_bare or _LANGUAGE.search(clause) is not None
