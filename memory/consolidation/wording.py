"""Compares the wordings of two memories: do they say the same fact?

Only grammar, degree and synonyms may differ. A different person, name, number, negation, wish or
any other word makes it another fact, however similar the two vectors are: "allergic to penicillin"
and "my brother is allergic to penicillin". If the rule is unsure, the two count as different: a
superfluous memory fades, a wrong merge loses what someone said.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from foundation.texts.forms import comparing_form
from memory.consolidation import chinese, english
from memory.consolidation.reading import Wording
from memory.models import Memory
from memory.models.choices import MemoryType
from memory.recall.similar import Neighbour
from memory.reconciliation.claims import contradicts
from memory.text.lexemes import unspaced

IDENTICAL, SAME_ORDER, SAME_WORDS, FEW_MORE = 1.0, 0.97, 0.93, 0.85
"""The confidence that two memories say the same fact, by the similarity of their wordings."""
LEAST_SIMILARITY = 0.5
"""Minimum cosine similarity of two wordings. Vectors alone do not decide: those of "brother" and
"sister" are close."""
LEAST_WITH_MORE = 0.8
"""The same if one of them has a few words more."""
MORE_WORDS = 0.25
"""Maximum share of additional words."""
ONE_HAPPENING = timedelta(days=2)
"""Within this time, an event counts as told again. Later it may have happened again."""
MAX_LENGTH = 400
"""Characters of a memory that is compared. A longer one contains several facts."""


@dataclass(frozen=True)
class _Pair:
    """The wordings of two memories."""

    one: Wording
    other: Wording


def same_fact(memory: Memory, neighbour: Neighbour) -> float | None:
    """Return the confidence, in [0, 1], that both memories say the same; None if they do not."""
    other = neighbour.memory
    if max(len(memory.content), len(other.content)) > MAX_LENGTH:
        return None
    if bool(unspaced(memory.content)) != bool(unspaced(other.content)):
        return None
    pair = _Pair(wording(memory.content), wording(other.content))
    if _may_be_two_happenings(memory, other, pair):
        return None
    if _bare(memory.content) == _bare(other.content):
        return IDENTICAL
    if neighbour.similarity < LEAST_SIMILARITY or not _about_the_same(pair):
        return None
    sure = _likeness(pair, neighbour.similarity)
    if sure is None or sure == SAME_ORDER:
        return sure
    clash = contradicts(memory.content, other.content) or contradicts(other.content, memory.content)
    return None if clash else sure


def have_one_subject(one: str, other: str) -> bool:
    """Return true if both texts may be about the same person: "User quit smoking" is not about the
    user's flatmate."""
    subjects = {wording(one).subject, wording(other).subject}
    return len(subjects - {""}) < 2


def wording(text: str) -> Wording:
    """Return what a text says, in the order in which it says it."""
    return chinese.wording(text) if unspaced(text) else english.wording(text)


def _bare(text: str) -> str:
    """Return the text without case and final punctuation. Other signs count: C, C++ and C#."""
    return " ".join(comparing_form(text).split())


def _about_the_same(pair: _Pair) -> bool:
    """Return true if both are about the same people, things of the same owners and numbers, both
    now or both in the past."""
    one, other = pair.one, pair.other
    if (one.persons, one.owners) != (other.persons, other.owners):
        return False
    return (one.numbers, one.past) == (other.numbers, other.past)


def _likeness(pair: _Pair, similarity: float) -> float | None:
    one, other = pair.one, pair.other
    if not one.words or not other.words:
        return None
    if one.words == other.words:
        return SAME_ORDER
    if one.ordered or other.ordered:
        return None
    if Counter(one.words) == Counter(other.words):
        return SAME_WORDS
    if set(one.words) == set(other.words) and not one.by_characters:
        return SAME_WORDS
    if similarity < LEAST_WITH_MORE or one.by_characters:
        return None
    fewer, more = sorted((set(one.words), set(other.words)), key=len)
    extra = more - fewer
    few = fewer <= more and len(extra) <= MORE_WORDS * len(more)
    return FEW_MORE if few and not extra & english.CHANGING else None


def _may_be_two_happenings(memory: Memory, other: Memory, pair: _Pair) -> bool:
    """Return true if both tell that something happened, on different days: two visits to the
    dentist. A date in the text makes it one."""
    one, two = pair.one, pair.other
    event = MemoryType.EVENT in (memory.memory_type, other.memory_type)
    apart = abs(memory.created_at - other.created_at) > ONE_HAPPENING
    return (event or one.happened or two.happened) and apart and not (one.dated and two.dated)
