"""Reads the wording of a Chinese memory. The words are in chinese.toml.

One character more or less changes the meaning (吃辣, 吃辣椒), so wordings are compared by all
their characters.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources

from memory.consolidation.reading import Wording

_W = tomllib.loads(resources.files(__package__).joinpath("chinese.toml").read_text("utf-8"))

_PHRASES = [(re.compile(pattern, re.I), new) for pattern, new in _W["phrases"]]
_LIGHT, _PERSON, _ORDERED, _HAPPENED, _NUMBER = (
    re.compile(_W[name]) for name in ("light", "persons", "ordered", "happenings", "numbers")
)
_DATED = re.compile(r"\d[年月日号]|[一二三四五六七八九十]月")
# The user as the subject, not as an owner: 用户怕狗, but not 用户的狗 or 我妹妹.
_SELF = re.compile(rf"^(?:用户|我)(?!的|(?:{_W['persons']}))")
# The user as the object, at the end of a clause: 银行联系了用户.
_OBJECT = re.compile("(?<!^)(?:用户|我)(?=$|[，,、；;。])")
_OTHER = re.compile("^[他她它]")
_OWNED = re.compile(rf"(?:用户|我)(?:的)?(?={_W['persons']})")
_TOKEN = re.compile(r"[a-z0-9][a-z0-9.:/@+#-]*|[^\W_]", re.I)


@lru_cache(maxsize=4096)  # each memory is compared with many others
def wording(text: str) -> Wording:
    """Return what a Chinese text says."""
    text = _plain(text)
    return Wording(
        words=tuple(_words(text)),
        persons=tuple(_persons(text)),
        subject=_subject(text),
        owners=frozenset(),
        numbers=frozenset(_NUMBER.findall(text)),
        ordered=bool(_ORDERED.search(text)),
        past=False,  # 以前 and 过 are words like others
        happened=bool(_HAPPENED.search(text)),
        dated=bool(_DATED.search(text)),
        by_characters=True,
    )


def _plain(text: str) -> str:
    text = re.sub(r"\s+", "", text).rstrip("。.！!")
    for pattern, new in _PHRASES:
        text = pattern.sub(new, text)
    return text


def _words(text: str) -> Iterator[str]:
    # Latin words and numbers stay whole.
    return (one.casefold() for one in _TOKEN.findall(_LIGHT.sub("", text)))


def _subject(text: str) -> str:
    """Return the person whose fact it is: "user", a relative or animal, 她, or "" for a text that
    begins with something else, which may be a name."""
    if other := _OTHER.match(text):
        return other[0]
    person = _PERSON.search(text)
    if person and (_OWNED.match(text) or _PERSON.match(text)):
        return person[0]
    return "user" if text.startswith(("用户", "我")) else ""


def _persons(text: str) -> Iterator[str]:
    """Return the people in order. A note without a subject is about the user."""
    if other := _OTHER.match(text):
        yield other[0]
    elif _OBJECT.search(text):
        yield "to user"
    elif _SELF.match(text) or not (_OWNED.match(text) or _PERSON.match(text)):
        yield "user"
    yield from _PERSON.findall(text)
