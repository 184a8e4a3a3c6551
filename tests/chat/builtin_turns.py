"""Turns for the built-in responder, with recalled memories that no database has."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from assessor.llm import ChatMessage
from chat.responders.base import Turn
from chat.responders.builtin import BuiltinResponder
from memory.models import Memory
from memory.recall.results import Result

NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)
LISBON = "User moved to Lisbon in March"


def result(
    content: str,
    similarity: float = 0.6,
    score: float | None = None,
    words: float = 0.0,
    days: int = 0,
    relevance: float = 0.3,
) -> Result:
    made = NOW - timedelta(days=days)
    memory = Memory(
        id=uuid4(), short_id="f926ff7f", content=content, memory_type="fact", created_at=made
    )
    score = similarity if score is None else score
    return Result(memory, similarity, relevance, score, {"lexical": words}, {})


def answer(
    question: str, *results: Result, earlier: int = 1, now: datetime = NOW, **options: Any
) -> str:
    history = [ChatMessage("user", "before")] * earlier + [ChatMessage("user", question)]
    return BuiltinResponder().answer(Turn(history, results, now, **options))
