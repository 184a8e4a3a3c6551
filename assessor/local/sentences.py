"""Splits a message into sentences, the units of scoring and of the summary."""

import re

IMAGE = re.compile(r"\[image: [^\[\]]*\]")

# . ! ? … end a sentence only before white space (not in 3.5, example.org) or, in Chinese, before a
# Chinese character; the full-width marks always do.
_END = re.compile(
    r"(?<=[.!?\u2026])[\"')\]]*+\s++(?![^\[\]]{0,200}\])|(?<=[!?;])(?=[\u3400-\u9fff])"
    r"|(?<=[\u3002\uff01\uff1f\uff1b])[\u201d\u300d\uff09]*\s*"
    r"|(?<!\s)[^\S\n]*+\n\s*+|(?<!\s)\s++(?=\[image: )"
)
_ABBREVIATION = re.compile(r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e)|\b[A-Z])\.$", re.I)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of `text` in order, stripped, none empty; [] for blank text."""
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        sentence = text[start : match.end()].strip()
        if not sentence or _ABBREVIATION.search(sentence, max(0, len(sentence) - 8)):
            continue
        sentences.append(sentence)
        start = match.end()
    rest = text[start:].strip()
    return [*sentences, rest] if rest else sentences
