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


def result(content: str, *, days: int = 0, **fields: Any) -> Result:
    memory = Memory(
        id=uuid4(), content=content, memory_type="fact", created_at=NOW - timedelta(days=days)
    )
    for name, value in fields.items():
        setattr(memory, name, value)
    return Result(memory, 0.6, 0.5, 0.6, {"lexical": 0.0}, {})


def answer(question: str, *memories: str | Result, now: datetime = NOW, **options: Any) -> str:
    """The reply to a question beside these memories."""
    found = [result(one) if isinstance(one, str) else one for one in memories]
    history = [ChatMessage("user", question)]
    return BuiltinResponder().answer(Turn(history, found, now, **options))
