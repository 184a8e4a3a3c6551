"""Groups of sentences of a long text: a model reads only the beginning of a text, and one vector of
much text is near to nothing in it."""

from collections.abc import Callable

# A group ends behind the last of these, else at a space.
_SENTENCES = ("\n", ". ", "! ", "? ", "。", "！", "？")
_AHEAD = 5000
"""Characters shown to `reads` at a time: it may look at all of them to count the first."""


def groups_of(text: str, reads: Callable[[str], int]) -> list[str]:
    """Return the groups of sentences of a text, the text itself if it is short. Each begins with
    the last sentence of the group before, which its words may refer to.

    `reads` returns how many characters at a text's beginning fit into one group.
    """
    groups, start = [], 0
    while True:
        end = start + reads(text[start : start + _AHEAD])
        if end >= len(text):
            return [*groups, text[start:]]
        end = start + _last_end(text[start:end])
        if text[start:end].strip():
            groups.append(text[start:end])
        start += max(1, _last_end(text[start : end - 1]))


def ends_of(text: str, reads: Callable[[str], int]) -> list[str]:
    """Return the beginning and the end of a long question, where people ask; the text itself if it
    is short."""
    if (read := reads(text[:_AHEAD])) >= len(text):
        return [text]
    last = text[-read:]
    while (fits := reads(last)) < len(last):
        last = last[len(last) - fits :]
    return [text[:read], last]


def _last_end(text: str) -> int:
    """Return where the last sentence that ends in the second half of the text ends; else the last
    word, or the text."""
    half = len(text) // 2
    for marks in (_SENTENCES, (" ",)):
        ends = [at + len(mark) for mark in marks if (at := text.rfind(mark, half)) >= 0]
        if ends:
            return max(ends)
    return len(text)
