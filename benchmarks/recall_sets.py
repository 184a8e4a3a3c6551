"""Sets of memories and questions with known evidence, read from files in two formats.

    LoCoMo's format   a list of conversations (locomo_data.py)
    our own format    {"name", "language", "spaces": [{"name",
                        "memories": [{"id", "text", "date", "speaker", "conversation", "role"}],
                        "questions": [{"q", "evidence": [ids], "category"}]}]}

In our own format, `date`, `speaker`, `conversation`, `role` and `category` may be missing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import locomo_data

OWN_SETS = Path(__file__).parent / "sets"
"""Small sets of our own, in languages that no public set covers."""

_LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_UNDATED = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Statement:
    """A text that becomes a memory."""

    text: str
    said_at: datetime
    speaker: str = ""
    conversation: str = ""
    role: str = "user"


@dataclass(frozen=True)
class Question:
    """A question and the positions of the statements that answer it."""

    text: str
    evidence: frozenset[int]
    category: str


@dataclass(frozen=True)
class Talk:
    """The statements of one space and the questions about them."""

    name: str
    statements: Sequence[Statement]
    questions: Sequence[Question]


@dataclass(frozen=True)
class RecallSet:
    """A set of talks in one language."""

    name: str
    language: str
    talks: Sequence[Talk]


def read(path: Path) -> RecallSet:
    """Return the set in this file."""
    content = json.loads(path.read_text())
    if isinstance(content, list):
        return RecallSet(path.stem, "en", [_of_locomo(one) for one in locomo_data.read(content)])
    talks = [_talk(space) for space in content["spaces"]]
    return RecallSet(content["name"], content["language"], talks)


def _of_locomo(talk: locomo_data.Conversation) -> Talk:
    statements = [
        Statement(turn.content, turn.said_at, turn.speaker, talk.name) for turn in talk.turns
    ]
    questions = [
        Question(one.text, one.evidence, _LOCOMO_CATEGORIES[one.category]) for one in talk.questions
    ]
    return Talk(talk.name, statements, questions)


def _talk(space: Mapping[str, Any]) -> Talk:
    places = {memory["id"]: place for place, memory in enumerate(space["memories"])}
    questions = [
        Question(
            asked["q"],
            frozenset(places[name] for name in asked["evidence"] if name in places),
            asked.get("category", "all"),
        )
        for asked in space["questions"]
    ]
    statements = [_statement(memory) for memory in space["memories"]]
    return Talk(space["name"], statements, [one for one in questions if one.evidence])


def _statement(memory: Mapping[str, Any]) -> Statement:
    date = memory.get("date")
    said_at = datetime.fromisoformat(date) if date else _UNDATED
    return Statement(
        text=memory["text"],
        said_at=said_at if said_at.tzinfo else said_at.replace(tzinfo=UTC),
        speaker=memory.get("speaker") or "",
        conversation=memory.get("conversation") or "",
        role=memory.get("role") or "user",
    )
