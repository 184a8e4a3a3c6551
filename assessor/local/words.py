"""Finds content words: words that are not common in small talk."""

import re
from importlib import resources

_WORD = re.compile(r"[a-z][a-z'-]+")
_SHORTEST = 3
_COMMON = frozenset(
    resources.files(__package__).joinpath("common_words.txt").read_text("utf-8").split()
)


def content_words(text: str) -> list[str]:
    """Return the distinct uncommon English words of `text`, lower case, in its order."""
    words = [word.removesuffix("'s") for word in _WORD.findall(text.lower())]
    rare = [w for w in words if len(w) >= _SHORTEST and "'" not in w and w not in _COMMON]
    return list(dict.fromkeys(rare))
