"""Finds whose fact a question asks for, and the memories about someone else.

"Where do I live?" asks for the user's own home, but shares more words with "User's sister lives in
Porto" than with "I moved to Porto". Memories are distinguished by their first words, because recall
compares all memories of a space. SQL twin: `memory/recall/sql/whose.py`.
"""

import re
import tomllib
from importlib import resources
from typing import Final, Literal

from memory.text.lexemes import unspaced

Others = Literal["", "people", "people and pets"]
"""Whose memories are about someone other than the question is: no one's, people's, or people's and
pets'.
"""

READ: Final = 200
"""Number of a memory's characters that are read after the person."""
SIGNS: Final = ",.:;!?'’"
"""Signs that may follow a word; `tells_of_others` reads them as spaces."""
_MOST = 200  # characters of a question; a longer message says more than it asks

_DATA = tomllib.loads(resources.files(__package__).joinpath("whose.toml").read_text("utf-8"))
OWNERS: Final[list[str]] = _DATA["owners"]["en"]
OWNERS_ZH: Final[list[str]] = _DATA["owners"]["zh"]
BETWEEN_ZH: Final[str] = _DATA["between"]["zh"]
RETURNS: Final[list[str]] = _DATA["returns"]["en"]
RETURNS_ZH: Final[list[str]] = _DATA["returns"]["zh"]

_ASKS = re.compile(r"[?？]\s*\Z|\A\W*(?:what|which|where|when|how|do|does|did|am|was|have)\b", re.I)
_SHORT = re.compile(
    r"\A\W*(?:(?:tell|show|remind|give) me\b|list\b|my\b)"
    r"(?:[^\w']{1,5}[\w']{1,40}){0,6}[^\w']*\Z",
    re.I,
)
_OWN = re.compile(
    r"\b(?:my|our|mine)\b|\b(?:do|did|am|was|have|had|are|were|don't|didn't) (?:i|we)\b"
    r"|\b(?:what|which|where|when|how)\b[^.?!\n]{0,40}\b(?:i|we)\b|\bthe user\b",
    re.I,
)
# Questions about a person, advice or plans, for which facts about others help too, or about someone
# by name.
_OPEN = re.compile(
    r"\b(?:who|whom|whose|should|could|would|can|might|will|shall|married|engaged|single|dating"
    r"|i know|he|she|his|her|him|they|their|them|this|that"
    r"|today|tonight|tomorrow|weekend|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|plans?|planned|gifts?|presents?|part(?:y|ies))\b"
    r"|(?-i:(?<=[a-z,] )(?!I\b)[A-Z]\w)",
    re.I,
)
# "Is it warm where I live?" mentions a fact and asks for something else.
_MENTIONED = re.compile(r"\b(?:what|where|when|how) (?:i|we)\b", re.I)
_ASKS_ZH = re.compile(r"[?？]\s*\Z|什么|哪|多少|多大|几|怎么|吗|呢|\A我的.{1,6}\Z")
_OPEN_ZH = re.compile(
    r"谁|该|可以|能|要不要|他|她|推荐|送|认识|计划|安排|打算|结婚|单身|今天|明天|周|这|那"
)


def words(name: str, language: str) -> list[str]:
    """Return the words of people, pets or groups."""
    listed: list[str] = _DATA[name][language]
    return listed


def begins_with(others: Others, language: str) -> list[str]:
    """Return the words for others that a memory may begin with, after their owner."""
    pets = words("pets", language) if others == "people and pets" else []
    return words("people", language) + pets


def others_than_asked(question: str) -> Others:
    """Return whose memories are about someone other than the user, if the question asks for the
    user's own facts, otherwise "".
    """
    if not asks_of_user(question):
        return ""
    if _mentions(question, "people") or _mentions(question, "groups"):
        return ""
    return "people" if _mentions(question, "pets") else "people and pets"


def asks_of_user(question: str) -> bool:
    """Return whether the question asks for a fact of the user's own, as in "Where do I live?"."""
    if len(question) > _MOST:
        return False
    if unspaced(question):
        own = any(owner in question for owner in OWNERS_ZH)
        return bool(own and _ASKS_ZH.search(question)) and not _OPEN_ZH.search(question)
    asks = _ASKS.search(question) or _SHORT.search(question)
    return bool(asks and _OWN.search(question)) and not _OPEN.search(question)


def asks_for_own_fact(question: str) -> bool:
    """Return whether the answer is a fact about the user, and not only the question
    mentions one.
    """
    return asks_of_user(question) and not _MENTIONED.search(question)


def _mentions(question: str, name: str) -> bool:
    if unspaced(question):
        return any(word in question for word in words(name, "zh"))
    said = re.findall(r"[\w-]+", question.lower())
    known = words(name, "en")
    return any(word in known or word.removesuffix("s") in known for word in said)


def tells_of_others(content: str, others: Others) -> bool:
    """Return whether the memory begins with another person and does not return to the user."""
    beginning = content[:READ]
    if beginning.startswith(tuple(OWNERS_ZH)):
        rest, people = beginning.lstrip(BETWEEN_ZH), begins_with(others, "zh")
        found = any(rest[:length] in people for length in (1, 2))
        return found and not any(owner in rest for owner in RETURNS_ZH)
    first, *more = content.split(" ", 3)
    if first not in OWNERS:
        return False
    people = begins_with(others, "en")
    found = any(re.split(f"[{SIGNS}]", word)[0] in people for word in more[:2])
    said = re.split(f"[ {SIGNS}]", beginning[len(first) :])
    return found and not set(said) & set(RETURNS)
