"""Extracts the meaningful words of a sentence, and normalises text to the form a model reads."""

import re
from unicodedata import normalize

# Includes the words that are common in any wish for the future.
_EMPTY = (
    "a an and any are as at be by do for from i i'll i'm in is it its just me my now of on or our "
    "so sure that the this to us was were will with you your you'll ok okay always never every "
    "each time going forward here again please can could would henceforth not must shall user "
    "我 你 您 会 以 后 就 的 了 在 都 用 从 现 起 好 是 不 要 每 次 请 户 必 须 这 那 和 时 候"
)
_EMPTY_WORDS = frozenset(_EMPTY.split())
# Letters compared: "answer" and "answers" count as one word.
_STEM = 5
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff](?:[^\W\u3400-\u9fff]|')*")


def words_of(text: str) -> set[str]:
    """Return the meaningful words, cut to their first letters; Chinese as single characters."""
    words = _WORD.findall(text.casefold())
    return {word[:_STEM] for word in words if word not in _EMPTY_WORDS}


# Soft hyphens, blanks of no width, marks of direction, variation selectors
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_TAGS = re.compile("[\U000e0020-\U000e007e]+")  # an invisible copy of ASCII
_STYLED = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]+")


def as_read(text: str) -> str:
    """Return the text as a model reads it, without tricks that hide words from a pattern.

    Removes invisible characters, reveals hidden letters, and normalises widths and styles.
    """
    if text.isascii():
        return text
    text = _TAGS.sub(lambda found: "".join(chr(ord(one) - 0xE0000) for one in found[0]), text)
    return _STYLED.sub(lambda found: normalize("NFKC", found[0]), _INVISIBLE.sub("", text))
