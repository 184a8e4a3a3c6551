"""Reads the examples of `reader/examples` and turns them into numbers for the training."""

import collections
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reader.statement import ABOUT, BEFORE, FACETS, TYPES, VOICES, WINDOW
from reader.vocabulary import BEGIN, END, pieces_of

FOLDER = Path(__file__).parents[1] / "examples"
UNKNOWN = -100
"""A label that says nothing; torch leaves it out of the cross-entropy."""
NOT_A_NUMBER = float("nan")
# A message with an importance only: from here on it is worth keeping, and up to there it is not.
KEPT_FROM, LEFT_UP_TO = 0.5, 0.25


@dataclass
class Example:
    """A message as numbers. `tags` has 0 outside of facts, 1 at a fact's first piece and 2 further
    inside; a fact is (first piece, one past the last, type, numbers, about, correction)."""

    ids: list[int]
    segments: list[int]
    tags: list[int]
    worth: float
    importance: float
    voice: int
    about: int = UNKNOWN
    facts: list[tuple[int, int, int, list[float], int, float]] = field(default_factory=list)


def rows(folder: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of a folder's files, in the order of their names."""
    for file in sorted((FOLDER / folder).glob("*.jsonl")):
        yield from map(json.loads, file.read_text("utf-8").splitlines())


def message(row: dict[str, Any]) -> Example:
    """Return a message with labelled facts."""
    example, places = _read(row)
    for fact in row["facts"]:
        start = row["text"].index(fact["span"])
        end = start + len(fact["span"])
        inside = [i for i, (a, b) in places.items() if a < end and b > start]
        if inside:
            example.tags[inside[0]] = 1
            example.tags[inside[0] + 1 : inside[-1] + 1] = [2] * (len(inside) - 1)
            example.facts.append((inside[0], inside[-1] + 1, *_labels(fact)))
    example.worth = float(bool(row["facts"]))
    example.importance = 1.0
    for fact in row["facts"]:
        example.importance *= 1 - fact["importance"]
    example.importance = min(1 - example.importance, 0.98)
    example.voice = UNKNOWN if row.get("second_voice") else VOICES.index(row["voice"])
    if "about" in row and not (row["facts"] and row["about"] == "nobody"):
        example.about = ABOUT.index(row["about"])
    return example


def weighed(row: dict[str, Any]) -> Example:
    """Return a message of which only some numbers are known, and the type if it is important."""
    example, places = _read(row)
    example.importance = row.get("importance", NOT_A_NUMBER)
    kept, left = example.importance >= KEPT_FROM, example.importance <= LEFT_UP_TO
    example.worth = 1.0 if kept else 0.0 if left else NOT_A_NUMBER
    if not left:
        example.tags = [UNKNOWN] * len(example.tags)
    if not left and places:
        span = min(places), max(places) + 1
        kind = TYPES.index(row["memory_type"]) if kept else UNKNOWN
        example.facts.append((*span, kind, _numbers(row), UNKNOWN, NOT_A_NUMBER))
    return example


def _read(row: dict[str, Any]) -> tuple[Example, dict[int, tuple[int, int]]]:
    """Return a message without labels, and the place in its text of each piece."""
    before = [piece.id for piece in pieces_of(row.get("before") or "")][-BEFORE:]
    turn = [BEGIN, *before, END] if before else []
    pieces = pieces_of(row["text"])[:WINDOW]
    ids = [*turn, BEGIN, *(piece.id for piece in pieces), END]
    segments = [1] * len(turn) + [0] * (len(ids) - len(turn))
    tags = [UNKNOWN] * len(turn) + [0] * (len(ids) - len(turn))
    first = len(turn) + 1
    places = {first + i: (piece.start, piece.end) for i, piece in enumerate(pieces)}
    return Example(ids, segments, tags, 0.0, 0.0, UNKNOWN), places


def _labels(fact: dict[str, Any]) -> tuple[int, list[float], int, float]:
    about, correction = ABOUT.index(fact["about"]), float(fact["correction"])
    return TYPES.index(fact["type"]), _numbers(fact), about, correction


def _numbers(row: dict[str, Any]) -> list[float]:
    return [row.get(name, NOT_A_NUMBER) for name in ("importance", *FACETS)]


def pairs(messages: list[dict[str, Any]], share: float, chance: random.Random) -> list[Any]:
    """Return messages made of two of one language, as many as this share of all."""
    plain = [row for row in messages if row["voice"] in PLAIN and len(row["text"]) < JOINED]
    found = list[dict[str, Any]]()
    while len(found) < share * len(messages):
        first = chance.choice(plain)
        second = chance.choice(plain)
        if first["lang"] == second["lang"] and not second.get("before"):
            found.append(_made([first, second], ["", " "]))
    return found


def chains(messages: list[dict[str, Any]], share: float, chance: random.Random) -> list[Any]:
    """Return sentences made of up to four facts or remarks of one language."""
    facts = collections.defaultdict[str, list[Any]](list)
    remarks = collections.defaultdict[str, list[Any]](list)
    for row in messages:
        if row["voice"] in PLAIN and not row.get("before"):
            alone = [{"text": fact["span"], "facts": [fact]} for fact in row["facts"]]
            facts[row["lang"]] += alone
            if not row["facts"] and len(row["text"]) < SHORT:
                remarks[row["lang"]].append(row)
    languages = [row["lang"] for row in messages]
    found = list[dict[str, Any]]()
    while len(found) < share * len(messages):
        language = chance.choice(languages)
        chosen = [
            chance.choice((remarks if chance.random() < REMARKS else facts)[language])
            for _ in range(chance.choice(LENGTHS))
        ]
        joints = [chance.choice(COMMAS + JOINTS[language]) for _ in chosen]
        found.append(_made(chosen, joints))
    return found


def _made(parts: Sequence[dict[str, Any]], joints: Sequence[str]) -> dict[str, Any]:
    """Return one message out of several, with the facts of all and the voice of none."""
    first, *rest = parts
    text = first["text"] + "".join(
        joint + part["text"] for joint, part in zip(joints[1:], rest, strict=True)
    )
    facts = [fact for part in parts for fact in part["facts"]]
    once = [fact for fact in facts if text.count(fact["span"]) == 1]
    return {"text": text, "voice": "own", "second_voice": "?", "facts": once}


PLAIN = ("own", "request", "question", "small_talk")
"""Voices that may follow each other in one message."""
JOINED, SHORT = 200, 80  # characters
LENGTHS, REMARKS = (2, 2, 3, 4), 0.3
COMMAS = (", ", "; ", " - ", " ")
JOINTS = {
    "en": (" and ", ", and ", " but ", " and also "), "de": (" und ", ", aber ", " und auch "),
    "es": (" y ", ", pero ", " y además "), "fr": (" et ", ", mais ", " et aussi "),
    "it": (" e ", ", ma ", " e anche "), "pt": (" e ", ", mas ", " e também "),
    "nl": (" en ", ", maar ", " en ook "), "pl": (" i ", ", ale ", " a "),
    "tr": (" ve ", ", ama ", " bir de "), "ru": (" и ", ", но ", ", а ещё "),
    "ar": (" و", "، و", "، لكن "), "ja": ("、", "。あと、", "、それと"),
    "ko": (" 그리고 ", ", ", " 근데 "), "th": (" และ", " แล้วก็", " แต่"),
    "zh": ("，", "，而且", "，还有", "、"),
}  # fmt: skip
