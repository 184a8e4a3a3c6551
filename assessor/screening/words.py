"""The words of a sentence that say what it is about."""

import re

from memory.lexemes import prepare

# Also those of which every wish for the future is made.
_EMPTY = (
    "a an and any are as at be by do for from i i'll i'm in is it its just me my now of on or our "
    "so sure that the this to us was were will with you your you'll ok okay always never every "
    "each time going forward here again please can could would henceforth not must shall user "
    "我 你 您 会 以 后 就 的 了 在 都 用 从 现 起 好"
)
_EMPTY_WORDS = frozenset(_EMPTY.split())
# "answer" and "answers" are one.
_STEM = 5


def words_of(text: str) -> set[str]:
    """The words that carry meaning, by their first letters; Chinese by pairs of characters."""
    words = re.findall(r"[\w']+", prepare(text.casefold()))
    return {word[:_STEM] if word.isascii() else word for word in words if word not in _EMPTY_WORDS}
