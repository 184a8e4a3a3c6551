"""Groups of sentences of a long text. A model reads only the beginning of a text, and one vector of
much text is near to nothing in it."""

from collections.abc import Callable

GROUP = 240
"""UTF-8 bytes of a group: some 40 English words, or 80 Chinese characters."""

# A group ends behind the last of these, else at a space.
_SENTENCES = ("\n", ". ", "! ", "? ", "。", "！", "？")
_AHEAD = 5000
"""Characters shown to `reads`, which may look at all of them to count the first."""


def texts_of(text: str, reads: Callable[[str], int]) -> list[str]:
    """Return the texts to embed for a memory: its own, and those of its groups of sentences if it
    is long. A group begins with the last sentence of the one before, which it may refer to.

    `reads` returns how many characters at a text's beginning one vector represents.
    """
    if reads(text[:_AHEAD]) >= len(text):
        return [text]
    texts, start = [text], 0
    while True:
        end = start + fitting(text[start : start + GROUP], GROUP)
        if end >= len(text):
            return [*texts, text[start:]]
        end = start + _last_end(text[start:end])
        if text[start:end].strip():
            texts.append(text[start:end])
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


def fitting(text: str, size: int) -> int:
    """Return how many characters at the text's beginning fit into this many bytes."""
    return len(text.encode(errors="replace")[:size].decode(errors="ignore"))


def _last_end(text: str) -> int:
    """Return where the last sentence that ends in the second half of the text ends; else the last
    word, or the text."""
    half = len(text) // 2
    for marks in (_SENTENCES, (" ",)):
        ends = [at + len(mark) for mark in marks if (at := text.rfind(mark, half)) >= 0]
        if ends:
            return max(ends)
    return len(text)
