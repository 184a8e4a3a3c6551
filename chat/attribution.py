"""Which of the recalled memories an answer used, found by comparing words alone.

A model is given memories and does not say which it used. Two things give it away: it names one by
its id, or it says something new that stands in one. A sentence that repeats the question's words,
or says what all of the memories say, gives nothing away.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping

from assessor.local.sentences import split_sentences
from memory.text.lexemes import prepare

ATTRIBUTED = 0.4
"""From here on an answer counts as using a memory."""
ENOUGH = 1.25
"""What must be shared at least, unless it is all that the memory says: one word is chance, but not
beside one that the question holds (WORD + ECHO)."""
NAME, WORD = 2.0, 1.0
"""How much a name or a number tells, and how much any other word."""
ECHO = 0.25
"""How much is left of that if the question holds the word."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ENDING = re.compile(r"(?:['’]s|ing|ies|ied|ed|es|ys|s|e|y)$")
_SHORTEST_STEM = 3
# When a memory was patched is said by its brackets, not by its text (memory.reconciliation.rules).
_PATCHED_ON = re.compile(r"\[\d{4}-\d{2}-\d{2}: ")
# What anybody says about anything, and what memories and answers say about themselves.
_SMALL_TALK = (
    "a about also am an and any are as ask at be been but by can could did do does for from"
    " get good great had has have he her here him his how i i'd i'll i'm i've if in into is it"
    " it's its just know let like liked likes me mention mentioned more my no not of on or our"
    " please remember said say she should so some sorry tell than that that's the their them"
    " then there these they this to told too up us user user's was we well were what when"
    " where which who why will with would yes you you'd you'll you're you've your assistant"
    " earlier before 我 你 您 他 她 的 了 是 在 吗 呢 用户"
)
_PLAIN = frozenset(_SMALL_TALK.split())
# Names by their capitals, but dates coincide.
_DATES = (
    "january february march april may june july august september october november december"
    " monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays"
    " thursdays fridays saturdays sundays"
)
_CALENDAR = frozenset(_DATES.split())


def attributed(answer: str, question: str, memories: Mapping[str, str]) -> dict[str, float]:
    """Returns how much the answer used each memory, in 0..1, for those it did use.

    `memories` are the texts by their ids (UUIDs as text). One that is named by its whole or short
    id counts in full.
    """
    words = {id_: _weights(_PATCHED_ON.sub("[", text)) for id_, text in memories.items()}
    holders = Counter(word for telling in words.values() for word in telling)
    sentences = [_weights(sentence) for sentence in split_sentences(answer)]
    asked = _weights(question)
    attributions = {
        id_: 1.0 if cites(answer, id_) else attribution(sentences, telling, asked, holders)
        for id_, telling in words.items()
    }
    return {id_: value for id_, value in attributions.items() if value >= ATTRIBUTED}


def cites(answer: str, id_: str) -> bool:
    """Whether the answer names a memory by its id: whole, or the short one that prompts give."""
    return re.search(rf"\b{id_[:8]}(?:{id_[8:]})?\b", answer, re.IGNORECASE) is not None


def attribution(
    sentences: list[dict[str, float]],
    memory: Mapping[str, float],
    asked: Mapping[str, float],
    holders: Mapping[str, int],
) -> float:
    """The best of the answer's sentences: how far what it says beyond the question is the memory's.

    The overlap coefficient |A ∩ B| / min(|A|, |B|) (Szymkiewicz 1934, Simpson 1943) of two sets of
    words, each word by what it tells: a name or a number twice as much as another, one that the
    question holds a quarter, and one that several of the recalled memories hold by so much less.
    Not Jaccard's |A ∩ B| / |A ∪ B|: a long sentence may use one short memory, and a short one a
    part of a long memory. Where the memory says nothing beyond the question ("do I like pizza?"),
    the question's words count in full.
    """
    echoed = asked if memory.keys() - asked.keys() else {}
    known = _weighed(memory, echoed, holders)
    return max((_overlap(_weighed(said, echoed, holders), known) for said in sentences), default=0)


def _weighed(
    words: Mapping[str, float], echoed: Mapping[str, float], holders: Mapping[str, int]
) -> dict[str, float]:
    return {
        word: weight * (ECHO if word in echoed else 1.0) / max(1, holders.get(word, 1))
        for word, weight in words.items()
    }


def _overlap(said: Mapping[str, float], memory: Mapping[str, float]) -> float:
    shared = math.fsum(min(said[word], memory[word]) for word in said.keys() & memory.keys())
    whole = math.fsum(memory.values())
    if shared < min(ENOUGH, whole) or not whole:
        return 0.0
    return shared / min(math.fsum(said.values()), whole)


def _weights(text: str) -> dict[str, float]:
    """Returns the words that carry information, by their stems, each with its weight."""
    weights: dict[str, float] = {}
    for place, match in enumerate(_WORD.finditer(prepare(text))):
        word = match.group()
        if word.lower().replace("’", "'") in _PLAIN:
            continue
        stem = _stem(word)
        weights[stem] = max(weights.get(stem, 0.0), NAME if _is_name(word, place) else WORD)
    return weights


def _is_name(word: str, place: int) -> bool:
    """A word that begins its text is no name for its capital letter."""
    if word.lower() in _CALENDAR:
        return False
    return any(sign.isdigit() for sign in word) or (place > 0 and word[0].isupper())


def _stem(word: str) -> str:
    """Roughly: "lives", "living" and "lived" are one. Pairs of Chinese signs stay as they are."""
    stem = _ENDING.sub("", word.lower())
    return stem if len(stem) >= _SHORTEST_STEM else word.lower()
