"""A request's messages: what was said in them, and where the memories are put."""

from collections.abc import Sequence
from dataclasses import dataclass

from assessor.llm import ChatMessage
from assessor.storable import storable
from chat.completions.schemas import Json


@dataclass(frozen=True)
class Said:
    """What a request's messages say, as text.

    `text` is the user's last message, "" if there is none with words. `goes_on` if something stands
    behind it: a tool's answer, or the beginning of a reply. `before` are the user's message and the
    reply that stand last before it. `history` is all that users and assistants said, up to `text`.
    """

    text: str
    goes_on: bool
    before: tuple[str, str] | None
    history: Sequence[ChatMessage]


def read(messages: Sequence[Json]) -> Said:
    """System prompts and tools' answers are not read: nobody said them."""
    users = [place for place, message in enumerate(messages) if message.get("role") == "user"]
    last = users[-1] if users else -1
    history = [said for message in messages[: last + 1] if (said := _said(message))]
    text = text_of(messages[last]) if users else ""
    return Said(text, last < len(messages) - 1, _before(history), history)


def text_of(message: Json) -> str:
    """The words of a message, whose content is a string or a list of parts; "" if it has none."""
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
    """The latest reply before the last message, with the user's message that it answers."""
    earlier = list(history[:-1])
    while earlier and earlier[-1].role != "assistant":
        earlier.pop()
    asked = [message.content for message in earlier if message.role == "user"]
    return (asked[-1], earlier[-1].content) if asked else None


def with_notes(messages: Sequence[Json], notes: str) -> list[Json]:
    """The messages with the notes at the end of their first system message, or of one of their own.

    One system message at the beginning is what every model's template can do; two are not.
    """
    first = messages[0]
    if first.get("role") not in {"system", "developer"}:
        return [{"role": "system", "content": notes}, *messages]
    content: object = first.get("content")
    if isinstance(content, list):
        content = [*content, {"type": "text", "text": notes}]
    else:
        content = f"{content}\n\n{notes}" if content else notes
    return [{**first, "content": content}, *messages[1:]]
