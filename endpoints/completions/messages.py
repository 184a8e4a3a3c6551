"""Reads a request's messages as text, and adds the memories to them."""

from collections.abc import Sequence
from dataclasses import dataclass

from assessor.llm import ChatMessage
from endpoints.completions.schemas import Json
from foundation.texts.storable import storable

SYSTEM_ROLES = frozenset({"system", "developer"})


@dataclass(frozen=True)
class Said:
    """The text of a request's messages.

    `text` is the user's last message, "" if none has words. `goes_on` is true if more follows it: a
    tool's result, or the beginning of a reply. `before` is the previous user message with its
    reply. `history` is all user and assistant text up to `text`.
    """

    text: str
    goes_on: bool
    before: tuple[str, str] | None
    history: Sequence[ChatMessage]


def read(messages: Sequence[Json]) -> Said:
    """Return the text of the messages, without tool results."""
    users = [place for place, message in enumerate(messages) if message.get("role") == "user"]
    last = users[-1] if users else -1
    history = [said for message in messages[: last + 1] if (said := _said(message))]
    text = text_of(messages[last]) if users else ""
    return Said(text, last < len(messages) - 1, _before(history), history)


def text_of(message: Json) -> str:
    """Return a message's text, from a string or a list of parts; "" if there is none."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    return storable(content) if isinstance(content, str) and content.strip() else ""


def _said(message: Json) -> ChatMessage | None:
    text = text_of(message)
    match message.get("role"):
        case "user" | "assistant" as role if text:
            return ChatMessage(role, text)
    return None


def _before(history: Sequence[ChatMessage]) -> tuple[str, str] | None:
    """Return the latest reply before the last message, with the user's message that it answers."""
    earlier = list(history[:-1])
    while earlier and earlier[-1].role != "assistant":
        earlier.pop()
    asked = [message.content for message in earlier if message.role == "user"]
    return (asked[-1], earlier[-1].content) if asked else None


def with_notes(messages: Sequence[Json], notes: str) -> list[Json]:
    """Return the messages with the notes at the end of the first system message, or in a new one.

    All models' templates accept one system message at the beginning, but not all accept two.
    """
    first = messages[0]
    if first.get("role") not in SYSTEM_ROLES:
        return [{"role": "system", "content": notes}, *messages]
    content: object = first.get("content")
    if isinstance(content, list):
        content = [*content, {"type": "text", "text": notes}]
    else:
        content = f"{content}\n\n{notes}" if content else notes
    return [{**first, "content": content}, *messages[1:]]
