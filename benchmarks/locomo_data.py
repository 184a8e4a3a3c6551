"""Conversations and questions in LoCoMo's file format."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

CATEGORIES = (1, 2, 3, 4)


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation."""

    name: str
    speaker: str
    content: str
    said_at: datetime


@dataclass(frozen=True)
class Question:
    """A question and the positions of the turns that answer it."""

    text: str
    evidence: frozenset[int]
    category: int


@dataclass(frozen=True)
class Conversation:
    """A conversation's turns in order, and the questions about them."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question]


def conversations(path: Path) -> list[Conversation]:
    """Return the file's conversations, each in its order."""
    return read(json.loads(path.read_text()))


def read(samples: Sequence[Mapping[str, Any]]) -> list[Conversation]:
    """Return the conversations of a parsed file, each in its order."""
    return [_conversation(sample) for sample in samples]


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    talk = sample["conversation"]
    sessions = sorted(int(key[8:]) for key in talk if re.fullmatch(r"session_\d+", key))
    turns = [
        _turn(turn, talk[f"session_{number}_date_time"])
        for number in sessions
        for turn in talk[f"session_{number}"]
    ]
    places = {turn.name: place for place, turn in enumerate(turns)}
    asked = [
        Question(qa["question"], _evidence(qa["evidence"], places), qa["category"])
        for qa in sample["qa"]
        if qa["category"] in CATEGORIES
    ]
    return Conversation(sample["sample_id"], turns, [one for one in asked if one.evidence])


def _turn(turn: Mapping[str, str], session_at: str) -> Turn:
    caption = turn.get("blip_caption")
    content = turn["text"] + (f" [image: {caption}]" if caption else "")
    said_at = datetime.strptime(session_at, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return Turn(turn["dia_id"], turn["speaker"], content, said_at)


def _evidence(names: Sequence[str], places: Mapping[str, int]) -> frozenset[int]:
    """Return the positions of the named turns. The file writes some as "D8:6; D9:17" or
    "D30:05"."""
    found = re.findall(r"D(\d+):(\d+)", " ".join(names))
    normal = (f"D{int(session)}:{int(turn)}" for session, turn in found)
    return frozenset(places[name] for name in normal if name in places)
