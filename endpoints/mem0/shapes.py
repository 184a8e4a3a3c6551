"""Memories and history in the shapes that mem0's clients read."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max
from django.http import HttpRequest

from accounts.models import Space
from assessor.models import Assessment, State
from endpoints.mem0.fields import APP
from memory.models import Memory, MemoryEvent, MemoryRevision
from memory.models.history import Action

Json = dict[str, Any]

EVENTS = {
    Action.CREATED: "ADD",
    Action.REVISED: "UPDATE",
    Action.REINFORCED: "UPDATE",
    Action.RESTORED: "ADD",
    Action.DELETED: "DELETE",
    Action.EXPIRED: "DELETE",
    Action.EVICTED: "DELETE",
    Action.REJECTED: "DELETE",
}
"""mem0's event for each action; the other actions have no counterpart."""
STATUSES = {
    State.QUEUED: "PENDING",
    State.RETRYING: "PENDING",
    State.RUNNING: "RUNNING",
    State.DONE: "SUCCEEDED",
    State.IGNORED: "SUCCEEDED",
    State.FAILED: "FAILED",
}
QUEUED = "Memory processing has been queued for background execution"


def memories_out(space: Space, memories: Collection[Memory]) -> list[Json]:
    """Return the memories in mem0's shape. `categories` are the tags, `run_id` and `session_id` the
    session."""
    updated = _updated(space, memories)
    return [_memory(one, updated.get(one.pk, one.created_at)) for one in memories]


def memory_out(space: Space, memory: Memory) -> Json:
    """Return one memory in mem0's shape."""
    return memories_out(space, [memory])[0]


def _updated(space: Space, memories: Collection[Memory]) -> Mapping[UUID, datetime]:
    """Return when each of the memories was last changed; memories without a change are left out."""
    past = MemoryRevision.objects.filter(space_id=space.pk, memory__in=[m.pk for m in memories])
    changed = past.order_by().values("memory_id").annotate(last=Max("replaced_at"))
    return {one["memory_id"]: one["last"] for one in changed}


def _memory(memory: Memory, updated_at: datetime) -> Json:
    expires_at = None if memory.pinned else memory.expires_at
    return {
        "id": str(memory.pk),
        "memory": memory.content,
        "user_id": memory.user_id,
        "agent_id": memory.agent_id,
        "app_id": memory.metadata.get(APP),
        "run_id": memory.session_id,
        "session_id": memory.session_id,
        "metadata": memory.metadata,
        "categories": memory.tags,
        "created_at": memory.created_at.isoformat(),
        "updated_at": updated_at.isoformat(),
        "expiration_date": expires_at.date().isoformat() if expires_at else None,
    }


def only_fields(found: Iterable[Json], fields: Collection[str]) -> list[Json]:
    """Return the objects with these fields only, or with all for none."""
    return [{n: v for n, v in one.items() if not fields or n in fields} for one in found]


def history_out(
    memory: Memory, events: Sequence[MemoryEvent], past: Sequence[MemoryRevision]
) -> list[Json]:
    """Return a memory's events, oldest first, each with the text before and after it, and the
    metadata and tags after it; null if no revision has them."""
    told: list[Json] = []
    before: str | None = None
    for event in events:
        # The first version that was replaced later was in effect after the event.
        then = next((one for one in past if one.replaced_at > event.at), memory)
        told.append(_event_out(memory, event, before, then))
        before = event.content
    return told


def _event_out(
    memory: Memory, event: MemoryEvent, before: str | None, then: Memory | MemoryRevision
) -> Json:
    kind = EVENTS[Action(event.action)]
    return {
        "id": str(event.pk),
        "memory_id": str(memory.pk),
        "input": [],
        "old_memory": before,
        "new_memory": None if kind == "DELETE" else event.content,
        "user_id": event.user_id,
        "agent_id": memory.agent_id,
        "app_id": memory.metadata.get(APP),
        "session_id": memory.session_id,
        "event": kind,
        "metadata": then.metadata,
        "categories": then.tags,
        "created_at": event.at.isoformat(),
        "updated_at": event.at.isoformat(),
    }


def saved_out(memory: Memory, event: str) -> Json:
    """Return the result of a message that was saved. A memory that waits for review says so in
    `status`."""
    text = memory.content
    result = {"id": str(memory.pk), "memory": text, "data": {"memory": text}, "event": event}
    return result if memory.status == "live" else result | {"status": memory.status}


def results_out(assessments: Iterable[Assessment]) -> list[Json]:
    """Return the memories of finished exchanges: added, or updated by them."""
    return [
        saved_out(lesson.memory, "ADD" if lesson.is_new else "UPDATE")
        for one in assessments
        for lesson in one.lessons
    ]


def page_out(
    request: HttpRequest, found: Sequence[Json], *, page: int, size: int, count: int
) -> Json:
    """Return one page of a list, with the addresses of the pages beside it."""

    def address(number: int) -> str:
        return request.build_absolute_uri(f"{request.path}?page={number}&page_size={size}")

    return {
        "count": count,
        "next": address(page + 1) if page * size < count else None,
        "previous": address(page - 1) if page > 1 else None,
        "results": found,
    }
