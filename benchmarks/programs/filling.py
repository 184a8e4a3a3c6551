"""Fills the places of a template, as its program would with what people say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_BLOCK = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_PLACE = re.compile(
    r"\{\{-?\s*([A-Za-z_][\w.\[\]'\"]*)[^{}]{0,80}\}\}|\$\{([^{}]{1,80})\}"
    r"|(?<!\{)\{([A-Za-z_][^{}\n\"]{0,60})\}(?!\})|\[\[(\w+)\]\]|<<(\w+)>>"
    r"|!<(INPUT) \d+>!"
)
_HEAD = re.compile(r"\A.*</commentblockmarker>", re.DOTALL)
_NUMBER = re.compile(r"max|num|count|total|limit|length|score|min_|top_?n|top_?k|size|index|_n$")
_SHORT = re.compile(
    r"name|type|format|tone|persona|role|location|domain|url|schema|tool|entit|tag|categor|id\b"
    r"|\bkey|model|lang|title|label|style"
)
_TALK = re.compile(r"histor|conversation|dialog|transcript|_log|session|messages|turns|episode")
_ASKED = re.compile(r"quer|question|task|topic|instruct|prompt|goal|user|ask|message|input|request")


@dataclass(frozen=True)
class Said:
    """The words of people that fill a template: a question, a document, a conversation."""

    question: str
    document: str
    talk: str


def said_by(texts: Sequence[str], number: int) -> Said:
    """Return words for the template of this number, from texts of people."""
    some = [texts[(number * 7 + step * 13) % len(texts)] for step in range(6)]
    roles = ("User", "Assistant") if number % 2 else ("user", "assistant")
    talk = "\n".join(f"{roles[place % 2]}: {text}" for place, text in enumerate(some[2:]))
    return Said(some[0], " ".join(some[1:4]), talk)


def filled(template: str, said: Said) -> str:
    """Return the template with the words of people in its places."""
    template = _HEAD.sub("", template)
    text = _PLACE.sub(lambda found: _value(found.group(found.lastindex or 0), said), template)
    return _BLOCK.sub("", text).replace("{{", "{").replace("}}", "}")


def _value(place: str, said: Said) -> str:
    place = place.lower()
    if _TALK.search(place):
        return said.talk
    if re.search(r"date|time\b|year", place):
        return "2026-11-23"
    if _NUMBER.search(place):
        return "5"
    if _SHORT.search(place) and not _ASKED.search(place):
        return "general"
    return said.question if _ASKED.search(place) else said.document
