"""Schemas of the history."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Schema

from foundation.http.requests import ActorOut, Limit, MemoryReference, NumberedCursor
from foundation.texts.fields import Moment
from memory.models import MemoryEvent

ActionName = Literal[
    "created", "revised", "reinforced", "used", "renewed", "unused", "expired", "evicted",
    "deleted", "restored", "purged", "pinned", "unpinned", "extended", "held", "approved",
    "rejected", "reset", "unreset",
]  # fmt: skip


class HistoryIn(Schema):
    """Filters and position in the history; `since` is a time with its time zone."""

    action: ActionName | None = None
    memory_id: MemoryReference | None = None
    since: Moment | None = None
    limit: Limit = 50
    cursor: NumberedCursor | None = None


class EventOut(Schema):
    """One event of a memory, with its text and importance at that time. A purge erases the text
    (empty)."""

    id: int
    at: datetime
    action: str
    actor: ActorOut
    reason: str
    memory_id: UUID
    user_id: str | None
    content: str
    importance: float
    current_importance: float
    rank: int | None
    policy_version: int

    @staticmethod
    def resolve_actor(event: MemoryEvent) -> dict[str, str]:
        """Return who caused the event."""
        return {"type": event.actor_type, "name": event.actor_name}


class HistoryList(Schema):
    """One page; `next` is the cursor of the following page."""

    items: list[EventOut]
    next: str | None
