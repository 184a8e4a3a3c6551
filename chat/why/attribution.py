"""Finds the recalled memories that an answer used, by comparing words only.

A model does not report the memories it used. Two things reveal a use: the answer names a memory's
id, or contains new information from one memory. Words of the question, or words of all the
memories, reveal nothing.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from chat.responders.commands import Command, command_in
from memory.text.lexemes import prepare
from reader.sentences import split_sentences

ATTRIBUTED = 0.4
"""From this value on, an answer counts as using a memory."""
ENOUGH = 1.25
"""The minimum weight that must be shared, unless it is all that the memory says. One shared word
may be chance, but not together with a word of the question (WORD + ECHO).
"""
NAME, WORD = 2.0, 1.0
"""The weight of a name or number, and of any other word."""
ECHO = 0.25
"""The share of this weight that is left if the question contains the word."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ENDING = re.compile(r"(?:['’]s|ing|ies|ied|ed|es|ys|s|e|y)$")
_SHORTEST_STEM = 3
# The date of a patch is in its brackets, not in the text (memory.reconciliation.rules).
_PATCHED_ON = re.compile(r"\[\d{4}-\d{2}-\d{2}: ")
# Words that are common in any text, or in memories and in answers about memories.
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
# Capitalised, but not names: dates often coincide by chance.
_DATES = (
    "january february march april may june july august september october november december"
    " monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays"
    " thursdays fridays saturdays sundays"
)
_CALENDAR = frozenset(_DATES.split())


def attributed(answer: str, question: str, memories: Mapping[str, str]) -> dict[str, float]:
    """Return how much the answer used each memory, in 0..1, without those below ATTRIBUTED.

    `memories` are texts by id (UUIDs as text). A memory named by its full or short id counts as 1.
    The answer to "forget that …" lists memories and uses none.
    """
    if command_in(question) is Command.FORGET:
        return {}
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
    """Return whether the answer contains the memory's id, in full or in the prompts' short form."""
    return re.search(rf"\b{id_[:8]}(?:{id_[8:]})?\b", answer, re.IGNORECASE) is not None


def attribution(
    sentences: list[Mapping[str, float]],
    memory: Mapping[str, float],
    asked: Mapping[str, float],
    holders: Mapping[str, int],
) -> float:
    """Return the best match of a sentence's new information with the memory, in 0..1.

    The overlap coefficient |A ∩ B| / min(|A|, |B|) (Szymkiewicz 1934, Simpson 1943) of two sets of
    words with weights. A name or number has twice the weight of other words. A word that also
    occurs in the question keeps a quarter of its weight. The weight is divided by the number of
    recalled memories that contain the word.

    Jaccard's |A ∩ B| / |A ∪ B| does not fit: a long sentence may use one short memory, and a short
    sentence a part of a long memory. If the memory contains only words of the question ("do I like
    pizza?"), these words count in full.
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


@lru_cache(maxsize=4096)  # the same memories are sent with many replies
def _weights(text: str) -> Mapping[str, float]:
    """Return the informative words, by stem, with their weights."""
    weights: dict[str, float] = {}
    for place, match in enumerate(_WORD.finditer(prepare(text))):
        word = match.group()
        if word.lower().replace("’", "'") in _PLAIN:
            continue
        stem = _stem(word)
        weights[stem] = max(weights.get(stem, 0.0), NAME if _is_name(word, place) else WORD)
    return weights


def _is_name(word: str, place: int) -> bool:
    """Return whether the word looks like a name or number; a capital at the text's start does not
    count.
    """
    if word.lower() in _CALENDAR:
        return False
    return any(sign.isdigit() for sign in word) or (place > 0 and word[0].isupper())


def _stem(word: str) -> str:
    """Return a rough stem: "lives", "living" and "lived" give one. Chinese pairs are unchanged."""
    stem = _ENDING.sub("", word.lower())
    return stem if len(stem) >= _SHORTEST_STEM else word.lower()
