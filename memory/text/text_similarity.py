"""Word sets of a statement, for comparison with another statement's.

Deterministic and without a model: English by words, scripts without spaces by characters.
"""

import re

from foundation.texts.forms import compatible, folded
from memory.text.lexemes import prepare, unspaced

_NO_MEANING = (
    "a an and also am are as at be been but by did do does for had has have he her his i im in is"
    " it its ive just me my of on or our really she so that the their them they this to too user"
    " users was we well were will with you your"
)
_STOP_WORDS = frozenset(_NO_MEANING.split())
# Stop words inside a run of Chinese. 他 and 她 are kept: they are not the user.
_NO_MEANING_INSIDE = re.compile("用户|非常|[我你您的了是很也都真]")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|e)$")
_DISTINGUISHING = re.compile(r"\d|^[A-Z]")


def plain(text: str) -> str:
    """Return the text without case and punctuation."""
    return " ".join(re.findall(r"\w+", folded(text)))


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+", prepare(compatible(text).replace("’", "'")))


def all_words(text: str) -> set[str]:
    """Return every word of the text in lower case."""
    return {folded(word) for word in _tokens(text)}


def names(text: str) -> set[str]:
    """Return names and numbers. "I" and a capitalised first word are not names."""
    return {folded(word) for word in _tokens(text)[1:] if _DISTINGUISHING.search(word)} - {"i"}


def words(text: str) -> set[str]:
    """Return the meaningful words, cut to their first letters without endings, so that "allergic"
    equals "allergy", and "lives" equals "living".
    """
    telling = all_words(_NO_MEANING_INSIDE.sub("", text)) - _STOP_WORDS
    letters = {word for word in telling if len(word) == 1 and word.isascii() and word.isalpha()}
    return {_ENDING.sub("", word)[:5] if word.isascii() else word for word in telling - letters}


def meaning(text: str) -> set[str]:
    """Return the meaningful words like `words`, but single characters of scripts without spaces."""
    spaced = {word for word in words(text) if not unspaced(word)}
    return spaced | unspaced(_NO_MEANING_INSIDE.sub("", text))


def weight(parts: set[str]) -> float:
    """Return the number of words in such a set; two characters count as one word."""
    return sum(0.5 if unspaced(part) else 1.0 for part in parts)
