"""Data exports of ChatGPT and Claude: conversations as exchanges to assess, Claude's memories.

An exchange becomes a line of the section `assessment`, queued. So the workers assess it as any
other, with retries and at the usual cost, and importing the file again adds nothing.
"""

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import Space
from foundation.moments import EARLIEST, aware, read_moment, spoken, zone_name, zone_of
from memory.drafts import MAX_CONTENT
from memory.transfer.identity import made_id

Json = Mapping[str, Any]

SECTION = "assessment"
MOST_EXCHANGES = 1000
"""Exchanges that an import queues, unless the caller says otherwise."""
_NAME = 200  # characters of a conversation's name
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


_HEADING = re.compile(r"\*\*.*\*\*|#.*")


@dataclass(frozen=True)
class Said:
    """A message: `user` or `assistant`, its text, and its time or None."""

    role: str
    text: str
    at: datetime | None


@dataclass(frozen=True)
class ImportedExchange:
    """A message of a person with the replies to it. `conversation` is unique among programs, and
    `place` the number of the exchange in it."""

    conversation: str
    place: int
    message: str
    reply: str
    at: datetime | None


def is_conversation(record: Any) -> bool:
    """Return true for a conversation of one of these exports."""
    if not isinstance(record, dict):
        return False
    return isinstance(record.get("mapping"), dict) or isinstance(record.get("chat_messages"), list)


def exchanges_of(record: Json) -> list[ImportedExchange]:
    """Return the exchanges of a conversation in order. Messages without text are left out."""
    if isinstance(record.get("mapping"), dict):
        program, said = "chatgpt", _of_chatgpt(record)
    else:
        program, said = "claude", _of_claude(record)
    begun = record.get("create_time") or record.get("created_at")
    ids = (record.get(name) for name in ("conversation_id", "id", "uuid"))
    name = next(filter(None, ids), f"{record.get('title') or record.get('name')}/{begun}")
    return list(_paired(f"{program}:{name}"[:_NAME], said, _time(begun)))


def memories_of(record: Any) -> list[dict[str, Any]] | None:
    """Return the paragraphs of Claude's memories as records, or None for any other record."""
    if not isinstance(record, dict) or not isinstance(record.get("conversations_memory"), str):
        return None
    projects = record.get("project_memories")
    texts = [record["conversations_memory"]]
    texts += projects.values() if isinstance(projects, dict) else []
    paragraphs = [
        paragraph.strip()
        for text in texts
        if isinstance(text, str)
        for paragraph in re.split(r"\n\s*\n", text)
    ]
    return [
        {"content": paragraph, "created_at": None}
        for paragraph in paragraphs
        if paragraph and not _HEADING.fullmatch(paragraph)
    ]


def newest(found: Iterable[tuple[int, datetime | None]], most: int) -> set[int]:
    """Return the places of the newest exchanges, at most this many, from the place and time of
    each; those without a time are the oldest."""

    def order(one: tuple[int, datetime | None]) -> datetime:
        return aware(one[1]) if one[1] else EARLIEST

    return {place for place, _at in heapq.nlargest(most, found, key=order)}


def exchange_line(exchange: ImportedExchange, space: Space, now: datetime) -> dict[str, Any]:
    """Return the line of a queued assessment; raises ValueError if the message is too long."""
    if len(exchange.message) > MAX_CONTENT:
        raise ValueError(f"message: longer than {MAX_CONTENT} characters")
    at = spoken(exchange.at, zone_of(now)) if exchange.at else now
    return {
        "id": str(made_id(space, f"exchange/{exchange.conversation}/{exchange.place}")),
        "user_message": exchange.message,
        "assistant_response": exchange.reply[:MAX_CONTENT],
        "source_conversation": exchange.conversation,
        "created_at": at.isoformat(),
        "time_zone": zone_name(at),
        "state": "queued",
        # Only the database has a default for these.
        "error_code": "",
        "fallback_of": "",
        "fallback_reason": "",
    }


def _paired(name: str, said: Iterable[Said], begun: datetime | None) -> Iterator[ImportedExchange]:
    """Yield each message of the person with the replies that follow it."""
    message, replies, place = None, list[str](), 0
    for one in [*said, Said("user", "", None)]:  # the last ends the exchange before it
        if one.role == "assistant":
            replies.append(one.text)
            continue
        if message is not None:
            reply = "\n".join(replies)
            yield ImportedExchange(name, place, message.text, reply, message.at or begun)
            place += 1
        message, replies = one, []


def _of_chatgpt(record: Json) -> Iterator[Said]:
    """Yield the messages of the branch that the person saw last."""
    for node in _branch(record):
        message = node.get("message")
        if not isinstance(message, dict):
            continue
        author, content = message.get("author"), message.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        if isinstance(author, dict) and isinstance(parts, list):
            text = "\n".join(part for part in parts if isinstance(part, str)).strip()
            yield from _said(author.get("role"), text, message.get("create_time"))


def _branch(record: Json) -> list[Json]:
    """Return the nodes from the first to the current one. A node that is its own ancestor ends the
    branch."""
    nodes, name = dict(record["mapping"]), record.get("current_node")
    if not isinstance(name, str) or name not in nodes:
        return [node for node in nodes.values() if isinstance(node, dict)]
    branch: list[Json] = []
    while isinstance(name, str) and isinstance(node := nodes.pop(name, None), dict):
        branch.append(node)
        name = node.get("parent")
    return branch[::-1]


def _of_claude(record: Json) -> Iterator[Said]:
    """Yield the messages in order."""
    for message in record["chat_messages"]:
        if not isinstance(message, dict):
            continue
        parts = message.get("content")
        texts = [
            part["text"]
            for part in (parts if isinstance(parts, list) else [])
            if isinstance(part, dict) and isinstance(part.get("text"), str)
        ]
        text = "\n".join(texts).strip() or str(message.get("text") or "").strip()
        yield from _said(message.get("sender"), text, message.get("created_at"))


def _said(role: Any, text: str, at: Any) -> Iterator[Said]:
    """Yield the message if a person or the assistant says something in it."""
    if text and isinstance(role, str) and role in _ROLES:
        yield Said(_ROLES[role], text, _time(at))


def _time(value: Any) -> datetime | None:
    """Return the time, or None if it cannot be read."""
    try:
        return read_moment(value)
    except ValueError:
        return None
