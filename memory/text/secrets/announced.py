"""Finds secrets that only the words around them reveal: passwords, PINs, codes and keys.

A label announces a secret: "wifi password", "door code", "unlocks with". Each word of the sentence
has a look (`Look`) and a place (`Place`) relative to the label. `MASKED` lists the combinations
that are masked.
"""

import re
from collections.abc import Iterator, Mapping, Set
from enum import Enum, auto

from memory.text.secrets import labels
from memory.text.secrets.looks import KEYS, MIXED, Found, Look, Word, is_placeholder, words_in

# The maximum distance of a secret after its label, and before it.
AFTER, BEFORE = 100, 80


class Place(Enum):
    """The place of a word relative to the label."""

    SAID = auto()  # "the password for the wifi is …"
    TOLD = auto()  # "the password that I chose yesterday is …"
    NEXT = auto()  # "password …"
    NEAR = auto()  # "password changed on Monday to …"
    FIRST = auto()  # "… is my password"


_CODES = {Look.DIGITS, Look.CODE}
_MARKED = {Look.QUOTED, Look.SIGNED, *MIXED}
_PASSWORD = {
    Place.SAID: _MARKED | _CODES,
    Place.TOLD: _MARKED | _CODES,
    Place.NEXT: _MARKED | _CODES,
    Place.NEAR: {Look.CODE, *MIXED},
    Place.FIRST: {Look.MIXED, Look.STRONG, Look.SIGNED},
}
_CODE = {
    Place.SAID: _CODES | _MARKED,
    Place.TOLD: _CODES,
    Place.NEXT: _CODES,
    Place.NEAR: {Look.DIGITS},
    Place.FIRST: _CODES,
}
# The looks of secrets, by the kind of label and the place.
MASKED: Mapping[str, Mapping[Place, Set[Look]]] = {
    "opens": {Place.SAID: _MARKED | _CODES, Place.NEXT: _MARKED | _CODES},
    "pin": _CODE,
    "code": _CODE,
    "password": {**_PASSWORD, Place.SAID: {*_PASSWORD[Place.SAID], Look.WORD}},
    "foreign_password": _PASSWORD,
    "entered": {place: {Look.SIGNED, *MIXED} for place in (Place.SAID, Place.NEXT)},
    "account": dict.fromkeys((Place.SAID, Place.TOLD, Place.NEXT, Place.NEAR), {Look.STRONG}),
    "key": {
        Place.SAID: MIXED,
        Place.TOLD: KEYS,
        Place.NEXT: KEYS,
        Place.NEAR: {Look.LONG_KEY},
    },
    "lock": {Place.SAID: _CODES, Place.TOLD: {Look.DIGITS}, Place.NEXT: {Look.DIGITS}},
    "wifi": {Place.SAID: {Look.MIXED, Look.STRONG, Look.SIGNED}, Place.TOLD: MIXED},
    "any_code": {Place.SAID: _CODES, Place.TOLD: _CODES, Place.NEXT: {Look.DIGITS}},
    "any_key": {place: {Look.LONG_KEY} for place in (Place.SAID, Place.TOLD, Place.NEXT)},
}
NAMES = {
    **dict.fromkeys(("opens", "pin", "code", "lock", "any_code"), "code"),
    **dict.fromkeys(("password", "foreign_password", "entered", "account", "wifi"), "password"),
    **dict.fromkeys(("key", "any_key"), "key"),
}

_LABELS = {
    kind: re.compile(rf"(?<![\[@])(?:{pattern})", re.IGNORECASE)
    for kind, pattern in (
        ("opens", labels.OPENS),
        ("pin", labels.PIN),
        ("password", labels.words("password")),
        ("foreign_password", f"{labels.words('foreign_password')}|{labels.NETWORK}"),
        ("any_code", labels.ANY_CODE),
        ("account", rf"(?<![/.]){labels.words('account')}"),  # not in "www.amazon.com"
        *(
            (kind, labels.words(kind))
            for kind in ("code", "entered", "key", "lock", "wifi", "any_key")
        ),
    )
}
# The other kinds have common words as labels: "locker", "account", "key".
_ASKED_FOR = ("pin", "password", "foreign_password", "code", "any_code", "key")
_MASKED = re.compile(rf"\[(?:{'|'.join(sorted(set(NAMES.values())))})\]")
_SENTENCE_END = re.compile(
    r"[.!;](?=\s|\Z)(?!\s(?:It|That)'?s\b)|(?<![:：=\s])\s{0,3}\n|[。！；？]"
)
# Both are matched from the label on, so they are not tried at any later character.
_SAID = re.compile(rf"\A(?:{labels.FOR}{labels.IS}|'s\s)[\s\"'`“„«「『(]*", re.IGNORECASE)
_SAYS = re.compile(rf"(?:{labels.IS}|\b(?:it|that)'?s\s|, so\s)[\s\"'`“„«「『(]*\Z", re.IGNORECASE)
_NEXT = re.compile(rf"\A{labels.FOR}[\s,，(\"'`“„«「『]*", re.IGNORECASE)
_IS_MY = re.compile(
    r"[\"'`”」!]?(?: is| as| ist| als| est| comme| es| como| come| è|[,.?!]? (?:that|it)'?s"
    r"|[,?]? das ist|,? c'est| [—–-])(?: (?:my|the|our|a|mein|meine|mon|ma|mi|il mio))?"
    r"(?: [\w-]{1,20}){0,3} ?",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:in|en|im|since|seit|depuis|desde|before|vor|until|bis)\s{1,2}\Z")
_NUMBERED = re.compile(r"\b(?:number|no\.?|nr\.?|nummer|room) \Z", re.IGNORECASE)  # of a locker
_YEAR = re.compile(r"(?:19|20)\d\d")


def asks_for_value(question: str) -> bool:
    """Return whether the question's last words are the label of a password, a PIN, a code or a key,
    or what it is for: "What is my secret?" and "… the password for the wifi?", but not "What is my
    secret project called?"."""
    told = question.rstrip(" \n?？!.") + " is "
    return any(
        _SAID.match(told[label.end() :])
        for kind in _ASKED_FOR
        for label in _LABELS[kind].finditer(told)
    )


def find_announced(text: str) -> list[Found]:
    """Return the announced secrets in the text, in their order."""
    kinds = list(MASKED)
    found = sorted(
        (start, kinds.index(kind), end)
        for kind, pattern in _LABELS.items()
        for start, end in _of_kind(text, kind, pattern)
    )
    kept: list[Found] = []
    for start, kind, end in found:
        if not kept or start >= kept[-1].end:
            kept.append(Found(start, end, NAMES[kinds[kind]]))
    return kept


def _of_kind(text: str, kind: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of the secrets that labels of this kind announce.

    The search after a label ends at the next one, so that a text full of labels takes no longer.
    """
    marks = [(0, 0), *(match.span() for match in pattern.finditer(text)), (len(text), len(text))]
    for (_, previous), (start, end), (following, _) in zip(
        marks, marks[1:], marks[2:], strict=False
    ):
        first = max(previous, start - BEFORE)
        last = _sentence_end(text, end, min(following, end + AFTER))
        yield from filter(None, (_before(text, kind, first, start), _after(text, kind, end, last)))


def _before(text: str, kind: str, first: int, label: int) -> tuple[int, int] | None:
    """Return the place of the secret before a label, as in "hunter22 is my password"."""
    if looks := MASKED[kind].get(Place.FIRST):
        for word in words_in(text, first, label):
            if word.look in looks and _IS_MY.fullmatch(text, word.end, label):
                return word.start, word.end
    return None


def _after(text: str, kind: str, label: int, last: int) -> tuple[int, int] | None:
    """Return the place of the secret after a label that ends here."""
    masked = MASKED[kind]
    looks = set().union(*masked.values())
    for word in words_in(text, label, last):
        if word.look in looks:
            if _MASKED.search(text, label, word.start):
                return None  # so that masking again does not find a second one
            place = _place(text[label : word.start])
            if word.look in masked.get(place, ()) and _fits(text, word, kind, place):
                return word.start, word.end
    return None


def _sentence_end(text: str, start: int, end: int) -> int:
    found = _SENTENCE_END.search(text, start, min(len(text), end))
    return found.start() if found else min(len(text), end)


def _place(between: str) -> Place:
    if _SAID.fullmatch(between):
        return Place.SAID
    if _NEXT.fullmatch(between):
        return Place.NEXT
    return Place.TOLD if _SAYS.search(between) else Place.NEAR


def _fits(text: str, word: Word, kind: str, place: Place) -> bool:
    """Return whether the word itself could be a secret."""
    value = text[word.start : word.end]
    if word.look in (Look.WORD, Look.QUOTED):
        said = value.casefold()
        plain = said in labels.NO_PASSWORD or said.endswith(labels.OPINIONS)
        return not plain and word.ends and not is_placeholder(value)
    if word.look is Look.DIGITS:
        return _digits_fit(text, word, kind, place)
    return kind != "any_key" or not _UUID.fullmatch(value)


def _digits_fit(text: str, word: Word, kind: str, place: Place) -> bool:
    """Return whether a number is not an amount, not a year, and not continued by the sentence."""
    value = text[word.start : word.end]
    one_time = len(re.sub("[ -]", "", value)) == 6
    if kind == "lock" and (
        len(value) < 4 or _NUMBERED.search(text, max(0, word.start - 9), word.start)
    ):
        return False
    if labels.UNIT.match(text, word.end):
        return False
    if place is Place.SAID:
        return word.ends or one_time or kind != "any_code"
    if kind == "any_code" and place is Place.NEXT:
        return one_time
    if len(value) > 9 or (_YEAR.fullmatch(value) and not _is_chosen(text, word, kind, place)):
        return False
    told = place is Place.TOLD and (one_time or kind != "any_code")
    follows = place is Place.NEXT and (one_time or kind in ("code", "opens"))
    return word.ends or told or follows


def _is_chosen(text: str, word: Word, kind: str, place: Place) -> bool:
    """Return whether a year is a PIN, as in "my PIN 1952" but not in "my PIN since 2019"."""
    return (
        kind == "pin"
        and place is Place.NEXT
        and not _SINCE.search(text, word.start - 9, word.start)
    )
