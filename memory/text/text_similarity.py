"""What a statement says in words, as sets that can be compared with another statement's.

Deterministic and without a model: English by words, scripts without spaces by characters.
"""

import re

from memory.text.lexemes import prepare, unspaced

_NO_MEANING = (
    "a an and also am are as at be been but by did do does for had has have he her his i im in is"
    " it its ive just me my of on or our really she so that the their them they this to too user"
    " users was we well were will with you your"
)
_STOP_WORDS = frozenset(_NO_MEANING.split())
# The same inside a run of Chinese. Who he or she is, is not the user.
_NO_MEANING_INSIDE = re.compile("用户|非常|[我你您的了是很也都真]")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|e)$")
_DISTINGUISHING = re.compile(r"\d|^[A-Z]")


def plain(text: str) -> str:
    """The text without its case and its punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+", prepare(text.replace("’", "'")))


def all_words(text: str) -> set[str]:
    """Every word of it, in small letters."""
    return {word.casefold() for word in _tokens(text)}


def names(text: str) -> set[str]:
    """Names and numbers. Neither "I" nor the first word is a name for its capital letter."""
    return {word.casefold() for word in _tokens(text)[1:] if _DISTINGUISHING.search(word)} - {"i"}


def words(text: str) -> set[str]:
    """The words that carry meaning, by their first letters and without their endings: "allergic"
    and "allergy" are one, and "lives" and "living"."""
    telling = all_words(_NO_MEANING_INSIDE.sub("", text)) - _STOP_WORDS
    letters = {word for word in telling if len(word) == 1 and word.isascii() and word.isalpha()}
    return {_ENDING.sub("", word)[:5] if word.isascii() else word for word in telling - letters}


def meaning(text: str) -> set[str]:
    """The same, but of scripts without spaces the single characters."""
    spaced = {word for word in words(text) if not unspaced(word)}
    return spaced | unspaced(_NO_MEANING_INSIDE.sub("", text))


def weight(parts: set[str]) -> float:
    """How many words a meaning is: two characters make one."""
    return sum(0.5 if unspaced(part) else 1.0 for part in parts)
