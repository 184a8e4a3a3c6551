"""What a new statement is to what is already known: the rule that needs no model.

A restated memory reinforces the old one instead of piling up beside it. One that says it replaces
something ("I moved from Lisbon to Porto", "我不再吃辣") revises or supersedes what it replaces.
Everything else is new. The rule errs on the side of adding: a memory too many fades by itself,
a wrong merge would lose what somebody said.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory.drafts import MAX_CONTENT
from memory.models import Memory, Reason
from memory.recall.similar import Neighbour
from memory.text import text_similarity
from memory.text.lexemes import unspaced

# Cosine similarities: from here on two statements may be the same, or one may end the other.
SAME = 0.80
RELATED = 0.35
# From here on what the assistant says by itself is taken for what it was told.
ECHO = 0.60
# The share of a restatement's words that may be new.
NEW_WORDS = 0.25

_NEGATION = re.compile(r"\b(?:not|no|never|\w+n['’]t|cannot|without)\b|[不没别无]", re.IGNORECASE)
_ENDED = re.compile(
    r"\bno longer\b|\bany ?more\b|\b(?:quit|gave up|given up)\b"
    r"|\bstopped\b(?! (?:at|by|for|in|near|off|on|to)\b)|不再|再也不|戒了",
    re.IGNORECASE,
)
# Who takes a train from Lisbon to Porto has not left for good.
_REPLACED = re.compile(
    r"\b(?:mov(?:ed?|es|ing)|(?:relocat|switch|chang|migrat|convert|upgrad|reschedul|postpon)\w*)\b"
    r"[^.;!?]{0,40}?"
    r"\bfrom (?P<a>[\w'’. -]{2,40}?) to \w|\binstead of (?P<b>[\w'’ -]{2,40})"
    r"|\brather than (?P<c>[\w'’ -]{2,40})|从(?P<d>\w{1,12}?)(?:搬|换|改|转)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\bfrom [\w'’. -]{2,40}? to \w", re.IGNORECASE)
# "Please remember that I …" says what "I …" says.
_ASKED_TO_KEEP = re.compile(
    r"^\s*(?:please )?(?:remember|note|keep in mind|don['’]t forget|do not forget)(?: that\b|[:,])?"
    r"|^\s*(?:请|麻烦)?(?:帮我)?(?:记住|记得|记一下|别忘了|不要忘记)[：:，,]?",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[.;!?。；！？]\s*\S|\b(?:and|but|also|while)\b|[，、和并]|而且|同时")


class Verdict(StrEnum):
    """What to do with a new statement."""

    ADD = "add"
    REINFORCE = "reinforce"
    REVISE = "revise"
    SUPERSEDE = "supersede"


@dataclass(frozen=True)
class Decision:
    """A verdict, the memory it is about (None for add), and why."""

    verdict: Verdict
    memory: Memory | None = None
    reason: str = ""


def decide(content: str, memory_type: str | None, neighbours: Sequence[Neighbour]) -> Decision:
    """The verdict on a new statement of this type, given what is near it, nearest first.

    Without a type, as by a tool that has none, it is compared with memories of any.
    """
    for neighbour in neighbours:
        if replaces(content, neighbour):
            return superseding(neighbour.memory, Reason("replaced", content))
    for neighbour in neighbours:
        if restates(content, memory_type, neighbour):
            return Decision(Verdict.REINFORCE, neighbour.memory, Reason("said_again", content))
    return Decision(Verdict.ADD)


def superseding(old: Memory, reason: str) -> Decision:
    """Lets go of a memory that no longer holds; or revises it, when it holds several facts, of
    which only one has changed, is core (seed 003, section 1.5), or was pinned by a person."""
    patch = old.core or old.pinned or _CLAUSES.search(old.content)
    return Decision(Verdict.REVISE if patch else Verdict.SUPERSEDE, old, reason)


def restates(content: str, memory_type: str | None, neighbour: Neighbour) -> bool:
    """Whether the statement says again what the memory says, and nothing that differs.

    A different number, name or negation makes it a different statement, however similar it reads.
    """
    if is_same_text(content, neighbour):
        return True
    memory = neighbour.memory
    content, old = _statement(content), _statement(memory.content)
    if memory_type not in (None, memory.memory_type) or neighbour.similarity < SAME:
        return False
    if bool(_NEGATION.search(content)) != bool(_NEGATION.search(old)):
        return False
    if not text_similarity.names(content) <= text_similarity.all_words(old):
        return False
    words, known = text_similarity.words(content), text_similarity.words(old)
    if unspaced("".join(words ^ known)):
        # One character more or less is another thing: 吃辣, 吃辣椒.
        return False
    # A new word in an old one's place tells something else, in however long a sentence.
    new = words - known
    return not new or (known <= words and len(new) <= NEW_WORDS * len(words))


def is_same_text(content: str, neighbour: Neighbour) -> bool:
    """Whether the statement is the memory's own text, but for case, signs and a request to keep it.
    No type and no judge can make two of it."""
    old = neighbour.memory.content
    return text_similarity.plain(_statement(content)) == text_similarity.plain(_statement(old))


def echoes(content: str, neighbour: Neighbour) -> bool:
    """Whether a statement is near the memory and names nothing that the memory does not.

    Looser than `restates`, whose statements somebody made: what only the assistant said again
    loses nothing when it is taken for known.
    """
    old = neighbour.memory.content
    if text_similarity.plain(content) == text_similarity.plain(old):
        return True
    known = text_similarity.all_words(old)
    return neighbour.similarity >= ECHO and text_similarity.names(content) <= known


def one_text(content: str, kept: Neighbour) -> str | None:
    """What the one memory of an exchange says, of which a tool has kept this neighbour and a judge
    made this statement: the kept text if the statement adds nothing, the statement if it says all
    of it. None if they are about two things."""
    said, old = _statement(content), kept.memory.content
    if kept.similarity < ECHO or bool(_NEGATION.search(said)) != bool(_NEGATION.search(old)):
        return None
    words, known = text_similarity.words(said), text_similarity.words(old)
    names_nothing_else = text_similarity.names(said) <= text_similarity.all_words(old)
    if names_nothing_else and len(words - known) * 2 < len(words):
        return old
    return content if known <= words else None


def replaces(content: str, neighbour: Neighbour) -> bool:
    """Whether the statement says that what the memory says is over."""
    if neighbour.similarity < RELATED:
        return False
    old = neighbour.memory.content
    if match := _REPLACED.search(content):
        former = text_similarity.words(next(group for group in match.groups() if group))
        between = _REPLACED.search(old) or _BETWEEN.search(old)
        return bool(former) and former <= text_similarity.words(old) and not between
    if _ENDED.search(content) and not _NEGATION.search(old):
        return _is_about(_NEGATION.sub(" ", _ENDED.sub(" ", content)), old)
    return False


def _is_about(ended: str, old: str) -> bool:
    """Whether most of what has ended stands in the memory, and is no single word by the way there:
    who quits tennis does not end what "My brother plays tennis" says."""
    said, known = text_similarity.meaning(ended), text_similarity.meaning(old)
    both = text_similarity.weight(said & known)
    return both * 2 > text_similarity.weight(said) and (
        both >= 2 or both * 2 >= text_similarity.weight(known)
    )


def patched(old: str, new: str, now: datetime) -> str:
    """The old text with the newer statement in brackets (seed 003, 括号补丁)."""
    return f"{old} [{now:%Y-%m-%d}: {new}]"


def has_room(old: str, new: str) -> bool:
    """Whether the statement can stand in brackets behind the old text. What cannot is a memory of
    its own, so that nothing is lost."""
    return len(patched(old, new, datetime.max)) <= MAX_CONTENT


def _statement(text: str) -> str:
    return _ASKED_TO_KEEP.sub("", text)
