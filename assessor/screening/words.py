"""The words of a sentence that say what it is about."""

import re

# Also those of which every wish for the future is made.
_EMPTY = (
    "a an and any are as at be by do for from i i'll i'm in is it its just me my now of on or our "
    "so sure that the this to us was were will with you your you'll ok okay always never every "
    "each time going forward here again please can could would henceforth not must shall user "
    "我 你 您 会 以 后 就 的 了 在 都 用 从 现 起 好 是 不 要 每 次 请 户 必 须 这 那 和 时 候"
)
_EMPTY_WORDS = frozenset(_EMPTY.split())
# "answer" and "answers" are one.
_STEM = 5
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff](?:[^\W\u3400-\u9fff]|')*")


def words_of(text: str) -> set[str]:
    """The words that carry meaning, by their first letters; Chinese by its characters."""
    words = _WORD.findall(text.casefold())
    return {word[:_STEM] for word in words if word not in _EMPTY_WORDS}
