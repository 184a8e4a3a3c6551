"""The looks of words that may be secrets: quoted, digits, mixed characters, or plain."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple


class Look(Enum):
    """The look of a word."""

    QUOTED = auto()  # "plum jam"
    DIGITS = auto()  # 4821, 482 913, 31-7-22
    CODE = auto()  # B-1947, 58A32, 4f8d-92ka
    MIXED = auto()  # Hunter22, lachs-19
    STRONG = auto()  # Hunter#22
    SIGNED = auto()  # Schnee#weiss
    KEY = auto()  # 9f8e7d6c5b4a
    LONG_KEY = auto()  # the same with 24 characters or more
    WORD = auto()  # swordfish


class Found(NamedTuple):
    """A secret in a text, and its name, as in "[password]"."""

    start: int
    end: int
    name: str


@dataclass(frozen=True)
class Word:
    """A word of a text. `ends` says that a clause ends after it."""

    start: int
    end: int
    look: Look
    ends: bool


# Chinese and Japanese text touches a secret without a space.
_CHARACTER = r"[^\s\"'`“”„‘’«»「」『』<>\[\]\u3000-\u9fff\uff00-\uffef]"
_WORDS = re.compile(
    r"\"(?P<double>(?! )[^\"\n]{3,80}(?<! ))\"|[“„](?P<curly>[^“”\n]{3,80})[“”]"
    r"|«\s?(?P<angle>[^»\n]{3,80}?)\s?»|`(?P<back>[^`\n]{3,80})`"
    r"|[「『](?P<corner>[^」』\n]{3,80})[」』]|(?<!\w)'(?P<single>[^'\n]{3,80})'(?![\w\[])"
    r"|(?P<grouped>(?<![\w.,/-])(?:\d{3} \d{3}|\d{4} \d{4})(?![\w/-]|[.,]\d| \d))"
    rf"|(?P<plain>{_CHARACTER}{{2,300}})"
)
_LEADING = "=:;,.([{→>–—-"
_TRAILING = ".,;:!?)]}"
_ENDS = re.compile(
    r"[.,;:!?)\"'`”」]{0,3}(?:\s{0,9}(?:\Z|\n)|[.,;!?，。、；！？]"
    r"|\s{1,3}(?:[(–—-]|(?:and|but|or|for|on|now|since|because|so|is (?:it|that|this)|if|und|oder"
    r"|aber|jetzt|denn|et|ou|mais|maintenant|y|o|pero|ahora|e|ma|mas|en|maar|i|ale|и|но)\b)"
    r"|\s{0,3}[\u3000-\u9fff])"
)
_DIGITS = re.compile(r"[#*]?\d{3,24}[#*]?|\d{3}[ -]\d{3}|\d{4}[ -]\d{4}|\d{1,2}(?:-\d{1,2}){2,4}")
_CODE = re.compile(
    r"""
    [A-Z]{1,2}-?\d{3,8}                                     # B-1947
    | (?=[A-Z]{0,3}\d)(?=\d{0,7}[A-Z])[A-Z0-9]{4,8}         # 4XK9QT, at most three letters first
    | \d{1,3}[^\W\d_x]\d{2,5}                              # 58a32; 58x32 is a size
    | (?=\D{0,5}\d)[A-Za-z0-9]{4,5}-[A-Za-z0-9]{4,5}       # 4f8d-92ka
    """,
    re.VERBOSE,
)
KEYS = {Look.KEY, Look.LONG_KEY}
MIXED = {Look.MIXED, Look.STRONG, *KEYS}
_SURE = {Look.DIGITS, Look.CODE, *MIXED}
# Words with letters and digits that are not secrets: names with a number, amounts, dates, files.
_NO_SECRET = re.compile(
    r"\A(?:(?:sha|md|base|utf|oauth|pbkdf|argon|scrypt|ripemd|aes|rsa)-?\d.*"
    r"|(?:[\w-]{0,12}(?:office|microsoft|outlook|windows|win|keepass\w{0,2}|word|excel|iphone|ipad|ios"
    r"|macos|android|galaxy|pixel|playstation|xbox|python|version|web|room|studio))\d{1,4}"
    r"|wpa\d.*|802\.11.*|[\d.]{1,6}ghz|\S{0,80}[^\s.]\.(?:pdf|docx?|txt|md|csv|json|ya?ml|zip|png|jpe?g)"
    r"|1password|[vq]\d[\d.]*|\d{1,4}(?:st|nd|rd|th)?|\d[\d.,:/-]*[a-z%€$£]{0,3}|max_length=\d+"
    r"|\d{1,3}(?:자|文字|桁|位|个).*|https?://.*|[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,20}){1,4})\Z",
    re.IGNORECASE,
)
# A variable, as in "$SECRET" and "{{ password }}", a call, or an already hidden password.
_PLACEHOLDER = re.compile(
    r"\$[\w{(].*|\{\{.*|%[\w(].*|([*•.x_-])\1+|[A-Za-z_][\w.]{0,60}[(\[].*", re.IGNORECASE
)
# The place within a word, as before `_count` in "token_count".
_GOES_ON = re.compile(r"(?<=[A-Za-z0-9])[A-Za-z0-9_]")
_SIGN = re.compile(r"\w[#$%&!*+=~^@_.]{1,3}\w")
_CAMEL = re.compile(r"[a-z]{3,20}(?:[A-Z][a-z]{1,20}){1,4}")
_STRONG = re.compile(r"\w[#$%&!*+=~^]\w|@\w{1,40}(?![\w.])")
# A further number or a Chinese text follows without a space: "739206,5".
_CUT = re.compile(r"[,;](?=\d)")


def words_in(text: str, start: int, end: int) -> Iterator[Word]:
    """Yield the words of a part of the text that may be secrets."""
    for found in _WORDS.finditer(text, start, end):
        group = found.lastgroup or "plain"
        first, last = found.span(group)
        if group != "plain":
            look = look_of(found[group])
            yield Word(first, last, look if look in _SURE else Look.QUOTED, ends=True)
        elif not (first == start and _GOES_ON.match(text, start)):
            first, last = _trimmed(text, first, last)
            followed = text[last : last + 1]
            goes_on = followed in ("[", "(") or (last == end and followed.isalnum())
            if not goes_on and (look := look_of(text[first:last])):
                yield Word(first, last, look, bool(_ENDS.match(text, last)))


def _trimmed(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the place of a word without the punctuation around it."""
    word = text[first:last]
    first += len(word) - len(word.lstrip(_LEADING))
    last -= len(word) - len(word.rstrip(_TRAILING))
    cut = _CUT.search(text, first, last)
    return first, cut.start() if cut and _DIGITS.fullmatch(text, first, cut.start()) else last


def look_of(word: str) -> Look | None:
    """Return what a word looks like; None if it cannot be a secret."""
    if _DIGITS.fullmatch(word):
        return Look.DIGITS
    if _NO_SECRET.match(word) or _PLACEHOLDER.fullmatch(word):
        return None
    if _CODE.fullmatch(word):
        return Look.CODE
    digit, letter = any(map(str.isdigit, word)), any(map(str.isalpha, word))
    if digit and len(word) >= 16 and re.fullmatch(r"[\w.+/~=-]+", word, re.ASCII):
        return Look.LONG_KEY if len(word) >= 24 else Look.KEY
    if digit and letter and len(word) >= 6:
        return Look.STRONG if _STRONG.search(word) else Look.MIXED
    if letter and (_SIGN.search(word) or _CAMEL.fullmatch(word)):
        return Look.SIGNED
    return Look.WORD if letter and len(word) >= 3 else None


def is_placeholder(word: str) -> bool:
    """Return whether a word is a placeholder for a secret."""
    return _PLACEHOLDER.fullmatch(word) is not None
