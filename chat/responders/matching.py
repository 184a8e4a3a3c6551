"""Decides how well a recalled memory fits a message, by similarity, common words, relevance, and
the kind of thing asked for (a place, a time, a number)."""

from chat.responders.relations import asks_for_family, is_about_another, names_people_asked_for
from chat.responders.requests import is_only, is_request, supposes
from chat.responders.utterances import (
    asks_what_if,
    holds_what_is_asked,
    is_chinese,
    share_a_character,
    share_a_word,
)
from memory.recall.results import Result

# MiniLM cosines, tuned on English questions with and without an answer in memory. The keys of NEAR
# say whether the memory contains what is asked for (a place, a time, a number, a relative): yes,
# unknown, no.
SURE_WITH_WORDS, SURE = 0.3, 0.5
NEAR = {True: 0.15, None: 0.28, False: 0.45}
# MiniLM does not know Chinese. It finds random neighbours of a Chinese text, so common words count
# instead.
COMMON_WORDS_IN_CHINESE = 0.05
# From the first relevance on, a memory surely answers; from the second on, it may help.
SURE_RELEVANCE, NEAR_RELEVANCE = 0.5, 0.35
# From this similarity on, a memory is related to a statement.
RELATED = 0.5


def is_quotable(question: str, text: str) -> bool:
    """Return whether a memory can be quoted: not if it is a request saved by mistake, and a
    supposition ("If I lived in Paris, …") only if the question asks for one.
    """
    return not is_only(is_request, text) and (asks_what_if(question) or not is_only(supposes, text))


def is_sure(question: str, result: Result) -> bool:
    """Return whether the memory answers the question."""
    text, words = result.memory.content, result.signals.get("lexical", 0.0)
    if is_about_another(question, text):
        return False
    chinese = is_chinese(question) and is_chinese(text)
    if chinese and words >= COMMON_WORDS_IN_CHINESE:
        return True
    holds = holds_what_is_asked(question, text)
    if holds is False:
        return False
    fits = chinese or holds or result.similarity >= NEAR[None]
    if fits and result.relevance >= SURE_RELEVANCE:
        return True
    return not chinese and result.similarity >= (SURE_WITH_WORDS if words else SURE)


def is_near(question: str, result: Result) -> bool:
    """Return whether the memory may help with the question."""
    text = result.memory.content
    holds = holds_what_is_asked(question, text)
    names = names_people_asked_for(question, text)
    if holds is None and names:
        holds = True
    if not is_chinese(question + text):
        return result.similarity >= NEAR[holds]
    fits = holds is not False and not is_about_another(question, text)
    return fits and (result.relevance >= NEAR_RELEVANCE or (names and asks_for_family(question)))


def goes_with(statement: str, result: Result) -> bool:
    """Return whether memory and statement are about the same thing."""
    text, words = result.memory.content, result.signals.get("lexical", 0.0)
    if is_chinese(statement) and is_chinese(text):
        return words >= COMMON_WORDS_IN_CHINESE
    return result.similarity >= RELATED


def is_meant(what: str, result: Result) -> bool:
    """Return whether the memory contains what the user wants forgotten."""
    text = result.memory.content
    if is_chinese(what) and is_chinese(text):
        return share_a_character(what, text)
    is_near = result.similarity >= NEAR[True] and share_a_word(what, text)
    return is_near or goes_with(what, result)
