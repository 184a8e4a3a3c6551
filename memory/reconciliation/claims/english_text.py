"""English statements cut into pieces, each with its subject. The words are in english.toml."""

import re
import tomllib
from collections.abc import Iterator
from importlib import resources

from memory.reconciliation.claims.base import any_of
from memory.text.text_similarity import words

W = tomllib.loads(resources.files(__package__).joinpath("english.toml").read_text("utf-8"))

_SHORT_FORMS = (
    (re.compile(r"\bthe user\b", re.I), "user"),
    (re.compile(r"\bwe\b", re.I), "i"),
    (re.compile(r"\bour\b", re.I), "my"),
    (re.compile(r"\bcan(?:'t|not)\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"n't\b", re.I), " not"),
    (re.compile(r"'ve\b", re.I), " have"),
    (re.compile(r"'m\b", re.I), " am"),
    (re.compile(r"'re\b", re.I), " are"),
    (re.compile(r"\b(he|she|it)'s\b", re.I), r"\1 is"),
    (re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof)\."), r"\1"),
    (re.compile(r"\bnon-", re.I), "not "),
    (re.compile(r"\bsmokers?\b", re.I), "smokes"),
    (re.compile(r"(\d)(am|pm|kg|km|lb|cm)\b", re.I), r"\1 \2"),
)
_OPENING = re.compile(
    r"^\W*(?:(?:it turns out|turns out|actually|update|by the way|btw|correction|in fact|now|well"
    r"|as of \w+|from now on|since \w+ \w+|please remember|remember|note)\b(?: that\b)?[,:]? *)+",
    re.IGNORECASE,
)
_PIECES = re.compile(
    r"[.;!?](?:\s+|$)|,? (?:and|but|while|because) |, (?=(?:i|it|the|my|he|she|they|we)\b)", re.I
)
SUBJECT = re.compile(
    r"^(?:user's \w+|my \w+|user|i|(?-i:[A-Z]\w+)(?='s| \w+s\b)(?:'s \w+)?)\b", re.I
)
_STARTS_ANEW = re.compile(r"^(?:i|user|user's|my|he|she|they|we|it|the|(?-i:[A-Z]\w+))\b", re.I)
_SELF = re.compile(r"\b(?:i|user|we)\b(?!')", re.I)
LIGHT_VERBS = any_of(W["light_verbs"])
_ASIDES = any_of(W["asides"])
_DOUBLED = re.compile(r"([^aeiou])\1$")


def plain(text: str) -> str:
    """Return the text without short forms and opening words."""
    text = text.replace("’", "'").strip().rstrip(".!")
    for pattern, full in _SHORT_FORMS:
        text = pattern.sub(full, text)
    return _OPENING.sub("", text)


def pieces(text: str) -> Iterator[str]:
    """Return the parts of a statement, each with its subject. Questions claim nothing."""
    if "?" in text:
        return
    subject, waiting = "", ""
    for part in _PIECES.split(plain(text)):
        piece = _OPENING.sub("", f"{waiting} and {part}" if waiting else part.strip())
        waiting = piece if len(piece.split()) < 3 else ""  # "Mia and I …" is one subject
        if _STARTS_ANEW.match(piece):
            subject = match[0] if (match := SUBJECT.match(piece)) else ""
        elif subject:
            piece = f"{subject} {piece}"
        if not waiting:
            yield piece
    if waiting:
        yield waiting


def content(text: str) -> frozenset[str]:
    """Return the words that say what the text is about."""
    return frozenset(_DOUBLED.sub(r"\1", word) for word in words(_ASIDES.sub(" ", text)))


def last_word(text: str) -> str:
    """Return the last word that says what the text is about; "" if there is none."""
    told = re.findall(r"[\w'-]+", _ASIDES.sub(" ", text))
    return next((one for word in reversed(told) for one in content(word)), "")


def subject_before(before: str) -> frozenset[str]:
    """Return the words of the subject before a verb; none for the user."""
    return frozenset() if _SELF.search(before) else content(before)
