"""The lines of a digest: each says what happened to a memory and what an undo would do now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, TextChoices
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from memory.digest.sections import Section
from memory.models import (
    ConsolidationProposal,
    Memory,
    MemoryEvent,
    MemoryRevision,
    ProposalState,
    Status,
)
from memory.models.history import Action


class Undo(TextChoices):
    """The effect of undoing a line."""

    MOVE_TO_BIN = "move_to_bin", _("Undo moves this memory to the bin.")
    RESTORE_OLDER = (
        "restore_older",
        _("Undo moves this memory to the bin and restores the one that it replaced."),
    )
    REVERT = "revert", _("Undo restores the earlier version.")
    RESTORE = "restore", _("Undo restores this memory. Its lifetime starts again.")
    RESTORE_SOURCES = "restore_sources", _("Undo restores the old memories as they were.")


class Since(TextChoices):
    """The reason why a line cannot be undone any more."""

    BINNED = "binned", _("Now in the bin")
    RESTORED = "restored", _("Restored later")
    CHANGED = "changed", _("Changed later")
    PURGED = "purged", _("Purged later")
    UNDONE = "undone", _("Undone")


@dataclass(frozen=True)
class Line:
    """A line of a digest. `id` is the number of its event, or the id of a proposal.

    `action` is the event's action; "replaced" for a memory that replaced another one; for a
    consolidation the kind of the proposal. `before` are the texts that `content` replaced. Exactly
    one of `undo` and `since` is set.
    """

    id: str
    section: Section
    action: str
    label: str
    at: datetime
    memory_id: UUID | None
    user_id: str | None
    content: str
    before: Sequence[str]
    action_id: UUID | None
    undo: Undo | None
    since: Since | None
    event: MemoryEvent | None = None
    revision: int | None = None
    """The revision that an undo restores."""
    in_action: int = 1
    """The number of proposals that the action applied."""


_CAME = (Action.CREATED, Action.APPROVED)


@dataclass(frozen=True)
class _Known:
    """The rows that the lines of events need, read at once."""

    memories: Mapping[UUID, Memory]
    past: Mapping[tuple[UUID, UUID | None], MemoryRevision]
    """The version before a revision, by memory and action."""
    replaced: Mapping[UUID | None, Sequence[str]]
    """The texts of replaced memories, by action."""


def lines_of(
    space: Space, events: Sequence[MemoryEvent], proposals: Sequence[ConsolidationProposal]
) -> list[Line]:
    """Return a line for each of these events (sections.in_sections) and proposals, in their
    order."""
    ids = {event.memory_id for event in events}
    ids |= {pk for one in proposals for pk in (*one.sources, one.result_id) if pk}
    memories = Memory.objects.in_space(space).defer("search").in_bulk(ids)
    known = _Known(memories, _past(space, events), _replaced(space, events))
    return [
        *(_of_event(event, known) for event in events),
        *(_of_proposal(one, memories) for one in proposals),
    ]


def _of_event(event: MemoryEvent, known: _Known) -> Line:
    replaces = event.action in _CAME and event.replaces  # type: ignore[attr-defined]  # annotated by in_sections
    memory = known.memories.get(event.memory_id)
    past = None
    before: Sequence[str] = ()
    if replaces:
        before = known.replaced.get(event.action_id, ())
    elif event.action == Action.REVISED:
        past = known.past.get((event.memory_id, event.action_id))
        before = [past.content] if past and past.content != event.content else ()
    undo, since = _undo_of(event, memory, past, replaces=replaces)
    return Line(
        id=str(event.pk),
        section=Section(event.section),  # type: ignore[attr-defined]  # annotated by in_sections
        action="replaced" if replaces else event.action,
        label=str(_("replaced") if replaces else Action(event.action).label),
        at=event.at,
        memory_id=event.memory_id,
        user_id=event.user_id,
        content=event.content,
        before=list(before),
        action_id=event.action_id,
        undo=undo,
        since=since,
        event=event,
        revision=past.number if past else None,
    )


def _undo_of(
    event: MemoryEvent, memory: Memory | None, past: MemoryRevision | None, *, replaces: bool
) -> tuple[Undo | None, Since | None]:
    """Return what undoing an event would do now, or why that is no longer possible."""
    if memory is None:
        return None, Since.PURGED
    if event.action not in (*_CAME, Action.REVISED):
        return _undo_removal(memory, event)
    if memory.status != Status.LIVE:
        return None, Since.BINNED
    if event.action in _CAME:
        return (Undo.RESTORE_OLDER if replaces else Undo.MOVE_TO_BIN), None
    if past is None or past.number != memory.revision - 1:
        return None, Since.UNDONE if past and _is_again(memory, past) else Since.CHANGED
    return Undo.REVERT, None


def _is_again(memory: Memory, past: MemoryRevision) -> bool:
    """Return true if the memory is as it was in this version."""
    names = ("content", "memory_type", "importance", "tags", "topics")
    return all(getattr(memory, name) == getattr(past, name) for name in names)


def _undo_removal(memory: Memory, event: MemoryEvent) -> tuple[Undo | None, Since | None]:
    if memory.status != Status.BINNED:
        return None, Since.RESTORED
    if memory.binned_at != event.at:
        return None, Since.BINNED  # restored and removed again
    return Undo.RESTORE, None


def _of_proposal(one: ConsolidationProposal, memories: Mapping[UUID, Memory]) -> Line:
    result = memories.get(one.result_id) if one.result_id else None
    proposed = one.result["content"] if one.result else ""
    undo, since = _undo_consolidation(one, result, memories)
    return Line(
        id=str(one.pk),
        section=Section.CONSOLIDATED,
        action=one.kind,
        label=one.get_kind_display(),
        at=one.decided_at or one.created_at,
        memory_id=one.result_id,
        user_id=one.user_id,
        content=result.content if result else proposed,
        before=[memories[pk].content for pk in one.removed if pk in memories],
        action_id=one.action_id,
        undo=undo,
        since=since,
        in_action=one.in_action,  # type: ignore[attr-defined]  # annotated by proposals_of
    )


def _undo_consolidation(
    one: ConsolidationProposal, result: Memory | None, memories: Mapping[UUID, Memory]
) -> tuple[Undo | None, Since | None]:
    if one.state == ProposalState.UNDONE:
        return None, Since.UNDONE
    if not any(pk in memories for pk in one.removed):
        return None, Since.PURGED
    if one.keeps_last:
        return Undo.RESTORE_SOURCES, None
    if result is None:
        return None, Since.PURGED
    if result.status != Status.LIVE:
        return None, Since.BINNED
    if result.revision > 1 or result.pinned:
        return None, Since.CHANGED
    return Undo.RESTORE_SOURCES, None


def _past(
    space: Space, events: Iterable[MemoryEvent]
) -> dict[tuple[UUID, UUID | None], MemoryRevision]:
    revised = [event for event in events if event.action == Action.REVISED and event.action_id]
    if not revised:
        return {}
    rows = MemoryRevision.objects.filter(
        space_id=space.pk,
        memory_id__in={event.memory_id for event in revised},
        action_id__in={event.action_id for event in revised},
    )
    return {(one.memory_id, one.action_id): one for one in rows.order_by("number")}


def _replaced(space: Space, events: Iterable[MemoryEvent]) -> dict[UUID | None, list[str]]:
    came = {
        event.action_id: event.memory_id
        for event in events
        if event.replaces  # type: ignore[attr-defined]  # annotated by in_sections
        and event.action in _CAME
    }
    if not came:
        return {}
    gone = MemoryEvent.objects.in_space(space).filter(
        ~Q(memory_id__in=came.values()), action=Action.DELETED, action_id__in=came
    )
    found: dict[UUID | None, list[str]] = {}
    for event in gone.order_by("id"):
        found.setdefault(event.action_id, []).append(event.content)
    return found
