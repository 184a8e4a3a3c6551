"""Reads the wording of an English memory. The words are in english.toml."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from importlib import resources

from memory.consolidation.reading import Wording

_W = tomllib.loads(resources.files(__package__).joinpath("english.toml").read_text("utf-8"))

_PHRASES = [(re.compile(pattern, re.I), new) for pattern, new in _W["phrases"]]
_LIGHT = frozenset(_W["light"].split())
_FORMS = dict(pair.split("=") for pair in _W["forms"].split())
_OWNER = re.compile(r"\b([^\W\d_]+)['’]s\b")
_NOT_OWNERS = frozenset(["it", "that", "he", "she", "who", "what", "there", "here", "let"])
_USERS = re.compile(r"\buser['’]s\b", re.I)
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W_]+[+#]*")
# The unit of a number, and its sign.
_SIGNS = re.compile(r"[$€£¥%°]|(?<!\w)-(?=\d)")
_ORDERED = re.compile(rf"\b(?:{'|'.join(_W['ordered'])})\b|[.;!?,]\s+\S", re.I)
_PAST = frozenset(_W["past"].split())
_HAPPENED = re.compile(rf"\b(?:{'|'.join(_W['happenings'])})\b", re.I)
_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_DATED = re.compile(rf"\b\d{{4}}\b|\b{_MONTH} \d|\b\d\d? {_MONTH}\b", re.I)
_ENDING = re.compile(r"(?<=\w{3})(?:ings?|ed|es|s|e)$")
_DOUBLED = re.compile(r"([^aeioulsz])\1$")
_STEM = 7  # letters
_SELF = frozenset(["user", "i", "me", "we", "us", "myself"])
_PRONOUNS = {"he": "he", "his": "he", "him": "he", "she": "she", "her": "she", "they": "they"}
# A capitalised first word is a name if such a word follows: "Ana lives", "Rex was".
_VERB = re.compile(r"^(?:is|was|has|had|will|can|does|did|and|lent|gave|put|\w{2,}(?:s|ed))$")


def stem(word: str) -> str:
    """Return a word without its ending, in lower case: "lives" and "living" are one."""
    word = word.casefold()
    word = _FORMS.get(word, word)
    cut = _DOUBLED.sub(r"\1", _ENDING.sub("", word))
    cut = f"{cut[:-1]}i" if cut.endswith("y") and len(cut) > 3 else cut
    return cut[:_STEM]


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


def _synonyms(lines: str) -> dict[str, str]:
    """Return each stem with the stem that represents all synonyms of its line."""
    found: dict[str, str] = {}
    for line in lines.strip().splitlines():
        first, *others = [stem(word) for word in line.split()]
        found |= {other: first for other in others if other not in found}
    return found


_SAME = _synonyms(_W["same"])
_PERSONS = _stems(_W["persons"])
_OPENERS = frozenset(_W["openers"].split())
_AFTER_OBJECT = frozenset(_W["after_object"].split())
_NUMBERS = frozenset(_W["numbers"].split())
CHANGING = _stems(_W["changing"])


@lru_cache(maxsize=4096)  # each memory is compared with many others
def wording(text: str) -> Wording:
    """Return what an English text says."""
    text = _plain(text)
    owners = frozenset(stem(one) for one in _OWNER.findall(text)) - _NOT_OWNERS
    tokens = _TOKEN.findall(re.sub(r"['’]s\b", "", text))
    return Wording(
        words=tuple(_words(tokens)),
        persons=tuple(_persons(tokens)),
        subject=_subject(tokens),
        owners=owners,
        numbers=frozenset([*_numbers(tokens), *_SIGNS.findall(text)]),
        ordered=bool(_ORDERED.search(text)),
        past=any(_is_past(one.casefold()) for one in tokens),
        happened=bool(_HAPPENED.search(text)),
        dated=bool(_DATED.search(text)),
    )


def _is_past(word: str) -> bool:
    return word in _PAST or (word.endswith("ed") and len(word) > 3)


def _plain(text: str) -> str:
    text = text.strip().rstrip(".! ")
    for pattern, new in _PHRASES:
        text = pattern.sub(partial(_filled, new), text)
    return " ".join(_USERS.sub("my", text).split())


def _filled(new: str, match: re.Match[str]) -> str:
    """Return the replacement; a group that did not match is empty."""
    return re.sub(r"\\(\d)", lambda number: match[int(number[1])] or "", new)


def _words(tokens: Iterable[str]) -> Iterator[str]:
    for token in tokens:
        lower = token.casefold()
        if lower in _LIGHT or lower in _SELF:
            continue
        root = stem(token)
        yield _SAME.get(root, root)


def _numbers(tokens: Iterable[str]) -> Iterator[str]:
    lower = (token.casefold() for token in tokens)
    return (_FORMS.get(one, one) for one in lower if one[0].isdigit() or one in _NUMBERS)


def _persons(tokens: list[str]) -> Iterator[str]:
    """Return the people and names in order. A note without a subject is about the user."""
    if not tokens:
        return
    first = tokens[0].casefold()
    if first in _PRONOUNS:
        yield _PRONOUNS[first]
    elif not _begins_with_somebody(tokens) and not any(one.casefold() in _SELF for one in tokens):
        yield "user"
    for place, token in enumerate(tokens):
        lower, root = token.casefold(), stem(token)
        if lower in _SELF:
            yield "to user" if place and _is_object(tokens[place + 1 :]) else "user"
        elif root in _PERSONS:
            yield _SAME.get(root, root)
        elif token[0].isupper() and lower not in _NUMBERS and (place or _is_name(tokens)):
            yield lower


def _is_object(following: list[str]) -> bool:
    """Return true if the person before these words is the object of an action: "Ana called user on
    Monday", unlike "on Monday user called".
    """
    return not following or following[0].casefold() in _AFTER_OBJECT


def _subject(tokens: list[str]) -> str:
    """Return the person whose fact it is: "user", a relative or animal, "she", or "" for a name."""
    first = tokens[0].casefold() if tokens else ""
    if first in _PRONOUNS:
        return _PRONOUNS[first]
    if first in _SELF:
        return "user"
    if not tokens or _is_name(tokens):
        return ""
    # "my older sister", "the dog"
    kin = [root for root in map(stem, tokens[:3]) if root in _PERSONS]
    return _SAME.get(kin[0], kin[0]) if kin else "user"


def _begins_with_somebody(tokens: list[str]) -> bool:
    first = tokens[0].casefold()
    if first in _SELF or first in {"my", "our"}:
        return True
    return _is_name(tokens) or any(stem(one) in _PERSONS for one in tokens[:2])


def _is_name(tokens: list[str]) -> bool:
    """Return true if the first word is a name, and not just the beginning of a sentence."""
    first, second = tokens[0], tokens[1] if len(tokens) > 1 else ""
    if not first[0].isupper() or first.casefold() in _OPENERS:
        return False
    return second[:1].isupper() or second in _FORMS or bool(_VERB.match(second))
