"""Compiles the words of words/*.toml into one pattern for each kind.

A file has a table for each kind, with the entries of each language. A comma or a new line separates
entries. An entry is a regular expression without case, from the beginning to the end of a word, in
Chinese anywhere. `<kind>` in an entry stands for any entry of that kind in the same language.
"""

import functools
import re
import tomllib
from importlib import resources

_SEPARATOR = re.compile(r", |\n")
_REFERENCE = re.compile(r"<(\w+)>")
_UNSPACED = "zh"  # the language without spaces between words


def pattern(kind: str) -> re.Pattern[str]:
    """Return the pattern that finds an entry of this kind in any language."""
    spaced = rf"\b(?:{choice(kind)})\b"
    unspaced = _joined(kind, _UNSPACED)
    return re.compile(f"{spaced}|{unspaced}" if unspaced else spaced, re.IGNORECASE)


def choice(kind: str) -> str:
    """Return the entries of the languages with spaces as alternatives, for a longer pattern."""
    return "|".join(_joined(kind, language) for language in _words()[kind] if language != _UNSPACED)


def chinese(kind: str) -> str:
    """Return the Chinese entries as alternatives, for a longer pattern."""
    return _joined(kind, _UNSPACED)


def _joined(kind: str, language: str) -> str:
    entries = _SEPARATOR.split(_words()[kind].get(language, "").strip("\n"))
    return _REFERENCE.sub(lambda found: f"(?:{_joined(found[1], language)})", "|".join(entries))


@functools.cache
def _words() -> dict[str, dict[str, str]]:
    files = resources.files(__package__).joinpath("words").iterdir()
    found: dict[str, dict[str, str]] = {}
    for file in files:
        found |= tomllib.loads(file.read_text("utf-8"))
    return found
