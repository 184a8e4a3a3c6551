"""What the bin shows of a memory: how it went, by which rules, and what took its place.

Three statements for all the memories of a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.models import BinReason, Memory, MemoryEvent, PolicyVersion, Space
from memory.models.history import Action

_WRITTEN = (Action.CREATED, Action.APPROVED, Action.REINFORCED, Action.REVISED)


@dataclass(frozen=True)
class Removal:
    """How a memory went. `event` is its line in the history; one that came with an import of
    another place's bin may have none. `capacity` is what the space held at most by the rules of
    that time, `successor` the line of the memory that took its place."""

    event: MemoryEvent | None = None
    capacity: int | None = None
    successor: MemoryEvent | None = None


def with_removals(memories: Sequence[Memory], space: Space) -> list[tuple[Memory, Removal]]:
    """Return binned memories, each with how it went."""
    events = _events(memories, space)
    capacities = _capacities(events, space)
    successors = _successors(events, space)

    def removal(memory: Memory) -> Removal:
        event = events.get(memory)
        capacity = capacities.get(event.policy_version) if event else None
        return Removal(event, capacity, successors.get(memory))

    return [(memory, removal(memory)) for memory in memories]


def _events(memories: Sequence[Memory], space: Space) -> dict[Memory, MemoryEvent]:
    """The line that tells of each one's going: the one of the moment since which it lies there."""
    moments = {(memory.pk, memory.binned_at): memory for memory in memories}
    lines = MemoryEvent.objects.in_space(space).removals()
    found = lines.filter(memory_id__in=[pk for pk, _ in moments], at__in=[at for _, at in moments])
    by_moment = {(event.memory_id, event.at): event for event in found.order_by("id")}
    return {memory: by_moment[moment] for moment, memory in moments.items() if moment in by_moment}


def _capacities(events: dict[Memory, MemoryEvent], space: Space) -> dict[int, int]:
    numbers = {event.policy_version for event in events.values()}
    versions = PolicyVersion.objects.filter(space=space, version__in=numbers)
    return dict(versions.values_list("version", "document__capacity"))


def _successors(events: dict[Memory, MemoryEvent], space: Space) -> dict[Memory, MemoryEvent]:
    """What superseded them: it was written, let in or changed in the same transaction, so its line
    is the next one of that moment by that actor. What was retracted has none."""
    gone = {m: event for m, event in events.items() if m.bin_reason == BinReason.SUPERSEDED}
    if not gone:
        return {}
    moments = {event.at for event in gone.values()}
    written = MemoryEvent.objects.in_space(space).filter(at__in=moments, action__in=_WRITTEN)
    lines = list(written.order_by("id"))
    found = {memory: _next(event, lines) for memory, event in gone.items()}
    return {memory: line for memory, line in found.items() if line is not None}


def _next(removal: MemoryEvent, lines: Sequence[MemoryEvent]) -> MemoryEvent | None:
    def by_whom(event: MemoryEvent) -> tuple[datetime, str, str]:
        return event.at, event.actor_type, event.actor_name

    return next((e for e in lines if e.pk > removal.pk and by_whom(e) == by_whom(removal)), None)
