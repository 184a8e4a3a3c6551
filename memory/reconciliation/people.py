"""Finds whom a statement is about: the speaker, or someone else by kinship or name."""

import re
import tomllib
from importlib import resources
from typing import NamedTuple

from memory.text.lexemes import unspaced


class People(NamedTuple):
    """The patterns of one language: other people, a person at the beginning of a statement, a name
    at the beginning, and the speaker.
    """

    others: re.Pattern[str]
    first: re.Pattern[str]
    named: re.Pattern[str]
    speaker: re.Pattern[str]


def _load(language: str) -> People:
    data = tomllib.loads(resources.files(__package__).joinpath("people.toml").read_text("utf-8"))
    words = {name: one[language] for name, one in data.items()}
    patterns = words["person"], f"{words['opening']}({words['person']})"
    named, speaker = words["named"], words["speaker"]
    return People(*(re.compile(one, re.I) for one in (*patterns, named, speaker)))


_ENGLISH, _CHINESE = _load("en"), _load("zh")


def people_in(text: str) -> People:
    """Return the patterns of the text's language."""
    return _CHINESE if unspaced(text) else _ENGLISH


def tells_of_another(new: str, old: str) -> bool:
    """Return true if the new statement is about someone whom the old one does not mention: "My
    brother moved from Lisbon to Porto" says nothing about the speaker's home.
    """
    people = people_in(new)
    begins = people.first.match(new) or people.named.match(new)
    if begins is None or people.speaker.search(new, begins.start(1)):
        return False
    who = begins[1].casefold().removesuffix("'s")
    if who in {"he", "she", "他", "她"}:
        return people.speaker.match(old) is not None and not people.others.search(old)
    return who not in old.casefold()
