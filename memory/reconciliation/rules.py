"""Comparison of a new statement with the known memories, by a rule that needs no model.

A restated memory reinforces the old one instead of adding a duplicate. A statement that says it
replaces something ("I moved from Lisbon to Porto", "我不再吃辣") revises or supersedes the old one.
A trained model finds changes in other words; these are only added in brackets. Everything else is
new. The rule prefers adding: a superfluous memory fades, while a wrong merge loses what someone
said.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory.drafts import MAX_CONTENT
from memory.models import Memory, Reason
from memory.recall.similar import Neighbour
from memory.reconciliation.changes import likeliest_change
from memory.reconciliation.claims import agrees, contradicts, tells_end
from memory.reconciliation.people import tells_of_another
from memory.text import text_similarity
from memory.text.event_dates import without_days
from memory.text.lexemes import unspaced
from memory.text.statements import is_one_statement

# Minimum cosine similarities for two statements to be the same, or for one to end the other.
SAME = 0.80
RELATED = 0.35
# The same for statements whose claims clash: a new employer resembles the old one little.
CLASHING = 0.20
# Number of the nearest memories that the trained model compares with a statement.
PROBABLE = 5
# Minimum cosine similarity for treating the assistant's own words as a repeated memory.
ECHO = 0.60
# Maximum share of new words in a restatement.
NEW_WORDS = 0.25

_NEGATION = re.compile(r"\b(?:not|no|never|\w+n['’]t|cannot|without)\b|[不没别无]", re.IGNORECASE)
_ENDED = re.compile(
    r"\bno longer\b|\bany ?more\b|\b(?:quit|gave up|given up)\b"
    r"|\bstopped\b(?! (?:at|by|for|in|near|off|on|to)\b)|不再|再也不|戒了",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"\b(?:than|instead of)\b|[比胜]|多于", re.IGNORECASE)
# Words that give the next word its role in the sentence: to Anna, from Anna.
_PARTS = re.compile(
    r"\b(to|from|than|over|before|after|by) (?:an? |the |my |his |her |their )?(\w+)", re.I
)
# Only verbs of change count: a train ride from Lisbon to Porto is not a move.
_REPLACED = re.compile(
    r"\b(?:mov(?:ed?|es|ing)|(?:relocat|switch|chang|migrat|convert|upgrad|reschedul|postpon)\w*)\b"
    r"[^.;!?]{0,40}?"
    r"\bfrom (?P<a>[\w'’. -]{2,40}?) to \w|\binstead of (?P<b>[\w'’ -]{2,40})"
    r"|\b(?:replac|swapp|trad)\w+ (?:my |the |out )?(?P<e>[\w'’. -]{2,40}?) (?:with|by|for) \w"
    r"|\brather than (?P<c>[\w'’ -]{2,40})|从(?P<d>\w{1,12}?)(?:搬|换|改|转)"
    r"|把(?P<f>\w{2,8}?)(?:换成|改成|换为)",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:now|nowadays|these days)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"\bfrom [\w'’. -]{2,40}? to \w", re.IGNORECASE)
# "Please remember that I …" means the same as "I …".
_ASKED_TO_KEEP = re.compile(
    r"^\s*(?:please )?(?:remember|note|keep in mind|don['’]t forget|do not forget)(?: that\b|[:,])?"
    r"|^\s*(?:请|麻烦)?(?:帮我)?(?:记住|记得|记一下|别忘了|不要忘记)[：:，,]?",
    re.IGNORECASE,
)
# The brackets that `patched` writes.
_PATCHES = re.compile(r" \[\d{4}-\d\d-\d\d: ")
_CLAUSES = re.compile(
    r"(?<!\b[DM]r)(?<!\bMrs)(?<!\bMs)(?<!\bProf)[.;!?]\s+\S"
    r"|[。；！？]\s*\S|\b(?:and|but|also|while)\b|[，、和并]|而且|同时"
)


# "Olga passed away" does not say who she was, and a pet that ran away may return: the old memory is
# needed beside such news.
_NEEDS_THE_OLD = re.compile(
    r"\A\W*(?-i:[A-Z])[\w'’-]{1,30} (?:has |sadly |just ){0,2}(?:died|passed away)\b"
    r"|\b(?:ran|run) away\b(?! from)|\b(?:went|gone) missing\b|[跑走]丢"
    r"|\A(?!.{0,9}[我他她爷奶公婆爸妈父母哥弟姐妹叔姨伯舅姑儿女夫妻狗猫鸟鱼兔])\w{1,9}(?:去世|过世|死)了",
    re.IGNORECASE,
)


class Verdict(StrEnum):
    """The action to take with a new statement. `known` changes nothing: it restates a core memory,
    which is exempt from merging and reinforcement (seed 003, section 1.5)."""

    ADD = "add"
    REINFORCE = "reinforce"
    KNOWN = "known"
    REVISE = "revise"
    SUPERSEDE = "supersede"


@dataclass(frozen=True)
class Decision:
    """A verdict, the memory it concerns (None for add), and the reason. `heir_of` is a memory that
    an added statement may correct: the statement is kept at least as long."""

    verdict: Verdict
    memory: Memory | None = None
    reason: str = ""
    heir_of: Memory | None = None


def decide(content: str, memory_type: str | None, neighbours: Sequence[Neighbour]) -> Decision:
    """Return the verdict on a new statement of this type, given its neighbours, nearest first.

    A statement without a type, for example from a tool that has none, is compared with memories of
    any type.
    """
    for neighbour in neighbours:
        if replaces(content, neighbour):
            return superseding(neighbour.memory, content, Reason("replaced", content))
    for neighbour in neighbours:
        if restates(content, memory_type, neighbour):
            return Decision(Verdict.REINFORCE, neighbour.memory, Reason("said_again", content))
    return _perhaps_outdating(content, neighbours)


def _perhaps_outdating(content: str, neighbours: Sequence[Neighbour]) -> Decision:
    """Return the decision on a statement that makes a memory outdated according to the trained
    model, or none. In a patched memory, the model reads the newest statement.

    The change is only probable. In brackets, nothing is lost if the model is wrong.
    """
    reason, content, near = Reason("replaced", content), without_days(_statement(content)), {}
    for neighbour in neighbours[:PROBABLE]:
        old = without_days(_newest_first(neighbour.memory.content)[0])
        settled = agrees(content, old) or (tells_end(content) and tells_end(old))
        if not settled and not tells_of_another(content, old):
            near[old] = neighbour.memory
    if (change := likeliest_change(content, [*near])) is None:
        return Decision(Verdict.ADD)
    old_memory = [*near.values()][change.place]
    if change.is_probable:
        return Decision(Verdict.REVISE, old_memory, reason)
    return Decision(Verdict.ADD, heir_of=old_memory)


def superseding(old: Memory, content: str, reason: str) -> Decision:
    """Return the decision to supersede a memory that the statement makes outdated, or to revise it.
    A memory is revised if it contains several facts, is core (seed 003, section 1.5), was pinned by
    a person, or says who the statement is about."""
    several = _CLAUSES.search(old.content) or _PATCHES.search(old.content)
    patch = old.core or old.pinned or several or _NEEDS_THE_OLD.search(content)
    return Decision(Verdict.REVISE if patch else Verdict.SUPERSEDE, old, reason)


def restates(content: str, memory_type: str | None, neighbour: Neighbour) -> bool:
    """Return true if the statement repeats the memory and adds no difference.

    A different number, name or negation makes it a different statement, however similar the texts
    are.
    """
    if is_same_text(content, neighbour):
        return True
    memory = neighbour.memory
    content, old = _statement(content), _statement(memory.content)
    if memory_type not in (None, memory.memory_type) or neighbour.similarity < SAME:
        return False
    if bool(_NEGATION.search(content)) != bool(_NEGATION.search(old)):
        return False
    if bool(_COMPARED.search(content)) != bool(_COMPARED.search(old)) or _turns(content, old):
        return False
    if not text_similarity.names(content) <= text_similarity.all_words(old):
        return False
    words, known = text_similarity.words(content), text_similarity.words(old)
    if unspaced("".join(words ^ known)):
        # One character more or less changes the meaning: 吃辣, 吃辣椒.
        return False
    # Replacing a word changes the meaning, however long the sentence is.
    new = words - known
    return not new or (known <= words and len(new) <= NEW_WORDS * len(words))


def _turns(content: str, old: str) -> bool:
    """Return true if the same words have other roles: "from work to home" and "from home to work",
    "Tom lent Eva a bike" and "Eva lent Tom a bike".
    """
    said, known = (dict(_PARTS.findall(text.casefold())) for text in (content, old))
    if any(said[part] != known[part] for part in said.keys() & known.keys()):
        return True
    first, second = (re.findall(r"\b[A-Z]\w+", text) for text in (content, old))
    leads = first[:1] != second[:1] and {*first[:1]} <= {*second} and {*second[:1]} <= {*first}
    return leads and " and " not in content


def is_same_text(content: str, neighbour: Neighbour) -> bool:
    """Return true if the statement is the memory's own text, ignoring case, punctuation and a
    request to remember it. Such a pair is one memory, whatever its type or assessment. The text of
    a patched memory is its newest statement."""
    old = _newest_first(neighbour.memory.content)[0]
    return text_similarity.plain(_statement(content)) == text_similarity.plain(_statement(old))


def echoes(content: str, neighbour: Neighbour) -> bool:
    """Return true if a statement is similar to the memory and contains no name that the memory
    lacks.

    Less strict than `restates`, which compares people's statements: nothing is lost if the
    assistant's own repetition counts as known.
    """
    old = neighbour.memory.content
    if text_similarity.plain(content) == text_similarity.plain(old):
        return True
    known = text_similarity.all_words(old)
    return neighbour.similarity >= ECHO and text_similarity.names(content) <= known


def one_text(content: str, kept: Neighbour) -> str | None:
    """Return the text for one memory that merges a statement from an assessor with the neighbour a
    tool saved in the same exchange: the saved text if the statement adds nothing, the statement if
    it includes all of the saved text. None if the two have different subjects."""
    said, old = _statement(content), kept.memory.content
    if kept.similarity < ECHO or bool(_NEGATION.search(said)) != bool(_NEGATION.search(old)):
        return None
    words, known = text_similarity.words(said), text_similarity.words(old)
    names_nothing_else = text_similarity.names(said) <= text_similarity.all_words(old)
    if names_nothing_else and len(words - known) * 2 < len(words):
        return old
    return content if known <= words else None


def replaces(content: str, neighbour: Neighbour) -> bool:
    """Return true if the statement says that the memory is outdated.

    A patched memory contains several statements about one thing; the newest one that the statement
    agrees with or contradicts decides.
    """
    if neighbour.similarity < CLASHING or is_same_text(content, neighbour):
        return False
    if not is_one_statement(content):
        return False
    content, related = without_days(_statement(content)), neighbour.similarity >= RELATED
    for old in map(without_days, _newest_first(neighbour.memory.content)):
        if contradicts(content, old) or (related and _names_as_former(content, old)):
            return True
        if agrees(content, old):
            return False
    return False


def _newest_first(text: str) -> list[str]:
    """Return the statements of a memory: its patches, the newest first, then the text before."""
    first, *patches = _PATCHES.split(text)
    return [*[patch.removesuffix("]") for patch in reversed(patches)], first]


def _names_as_former(content: str, old: str) -> bool:
    """Return true if the statement says that the subject of the old one was replaced or ended."""
    if tells_of_another(content, old):
        return False
    if match := _REPLACED.search(content):
        named = next(group for group in match.groups() if group)
        former = text_similarity.words(_NOW.sub(" ", named))
        between = _REPLACED.search(old) or _BETWEEN.search(old)
        return bool(former) and former <= text_similarity.words(old) and not between
    if _ENDED.search(content) and not _NEGATION.search(old) and not tells_end(old):
        return _is_about(_NEGATION.sub(" ", _ENDED.sub(" ", content)), old)
    return False


def _is_about(ended: str, old: str) -> bool:
    """Return true if the memory contains most of the ended thing, and the overlap is more than one
    incidental word: quitting tennis does not end "My brother plays tennis"."""
    said, known = text_similarity.meaning(ended), text_similarity.meaning(old)
    both = text_similarity.weight(said & known)
    return both * 2 > text_similarity.weight(said) and (
        both >= 2 or both * 2 >= text_similarity.weight(known)
    )


def patched(old: str, new: str, now: datetime) -> str:
    """Return the old text with the newer statement in brackets (seed 003, 括号补丁)."""
    return f"{old} [{now:%Y-%m-%d}: {new}]"


def has_room(old: str, new: str) -> bool:
    """Return true if the old text with the statement in brackets is short enough. If not, the
    statement becomes a separate memory, so that nothing is lost.
    """
    return len(patched(old, new, datetime.max)) <= MAX_CONTENT


def _statement(text: str) -> str:
    return _ASKED_TO_KEEP.sub("", text)
