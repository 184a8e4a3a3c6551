"""The times of a memory, read from its text, and ended by its successor."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from accounts.models import Space
from memory.formulas.retention import Tiers
from memory.models import BinReason, Memory
from memory.text.event_dates import begins_at, event_in


def times_in(content: str, said_at: datetime) -> dict[str, Any]:
    """Return the columns for the time of an event and for the start of a fact's truth, read from
    the words relative to the moment they were said, which is in the speaker's zone. A patched text
    has the times of its first statement.
    """
    event = event_in(content, said_at)
    return {
        "event_at": event.at if event else None,
        "event_precision": event.precision if event else "",
        "valid_from": begins_at(event, said_at),
    }


def starts_at(content: str, said_at: datetime) -> datetime:
    """Return the moment from which a statement is true: that of its event, before or after it was
    said, or else when it was said."""
    event = event_in(content, said_at)
    return event.begins_at if event else said_at


def set_lifetime(memory: Memory, changed: Collection[str], tiers: Tiers, now: datetime) -> None:
    """Restart the lifetime after a change of the importance; move its end with the event. Saves
    nothing."""
    if {"importance", "facets"} & set(changed):
        memory.clock_started_at = now
    elif "event_at" not in changed:
        return
    memory.expires_at = memory.expiry_from(memory.clock_started_at, tiers)


def end_again(space: Space, memories: Sequence[Memory]) -> None:
    """Set `valid_to` of superseded memories that were restored and return to the bin: the moment
    from which their successor is true. Without a successor it stays null. Saves nothing."""
    ended = [memory for memory in memories if memory.bin_reason == BinReason.SUPERSEDED]
    ids = [memory.superseded_by for memory in ended if memory.superseded_by]
    successors = Memory.objects.in_space(space).defer("search").in_bulk(ids)
    for memory in ended:
        if memory.superseded_by in successors:
            memory.valid_to = max(memory.begins_at, successors[memory.superseded_by].begins_at)
