"""Removals as the bin shows them: with the event, the policy of that time and the successor.

Three statements for all memories of a page, and two more if some were consolidated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.models import Space
from memory.models import BinReason, ConsolidationProposal, Memory, MemoryEvent, PolicyVersion
from memory.models.history import Action

_WRITTEN = (Action.CREATED, Action.APPROVED, Action.REINFORCED, Action.REVISED)


@dataclass(frozen=True)
class Removal:
    """The removal of a memory. `event` is its history entry; a memory that was in the bin when
    imported may have none. `capacity` is the capacity under the policy of that time, `successor`
    the history entry of the memory that replaced it, `became` the memory into which it was
    consolidated.
    """

    event: MemoryEvent | None = None
    capacity: int | None = None
    successor: MemoryEvent | None = None
    became: Memory | None = None


def with_removals(memories: Sequence[Memory], space: Space) -> list[tuple[Memory, Removal]]:
    """Return binned memories, each with its removal."""
    events = _events(memories, space)
    capacities = _capacities(events, space)
    successors = _successors(events, space)
    became = _results(memories, space)

    def removal(memory: Memory) -> Removal:
        """Return the removal of this memory."""
        event = events.get(memory)
        capacity = capacities.get(event.policy_version) if event else None
        return Removal(event, capacity, successors.get(memory), became.get(memory.pk))

    return [(memory, removal(memory)) for memory in memories]


def consolidated_into(memories: Sequence[Memory], space: Space) -> dict[UUID, UUID]:
    """Return the memory into which each of these binned memories was consolidated."""
    gone = {one.pk: one.binned_at for one in memories if one.bin_reason == BinReason.CONSOLIDATED}
    if not gone:
        return {}
    applied = ConsolidationProposal.objects.in_space(space).applied()
    return {
        memory_id: proposal.result_id
        for proposal in applied.filter(sources__overlap=list(gone))
        for memory_id in proposal.removed
        if proposal.result_id and gone.get(memory_id) == proposal.decided_at
    }


def _results(memories: Sequence[Memory], space: Space) -> dict[UUID, Memory]:
    """Return the memories into which these were consolidated, unless they were purged."""
    links = consolidated_into(memories, space)
    if not links:
        return {}
    found = Memory.objects.in_space(space).defer("search").in_bulk(set(links.values()))
    return {one: found[became] for one, became in links.items() if became in found}


def _events(memories: Sequence[Memory], space: Space) -> dict[Memory, MemoryEvent]:
    """Return the event of each memory's removal: the one at the time it was binned."""
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
    """Return the successors of superseded memories: written, approved or changed in the same
    action. Retracted memories have none."""
    gone = {m: event for m, event in events.items() if m.bin_reason == BinReason.SUPERSEDED}
    written = MemoryEvent.objects.in_space(space).beside(gone.values()).filter(action__in=_WRITTEN)
    lines = list(written.order_by("id"))
    found = {memory: _successor(event, lines) for memory, event in gone.items()}
    return {memory: line for memory, line in found.items() if line is not None}


def _successor(removal: MemoryEvent, lines: Sequence[MemoryEvent]) -> MemoryEvent | None:
    action = removal.at, removal.action_id
    others = [
        e for e in lines if (e.at, e.action_id) == action and e.memory_id != removal.memory_id
    ]
    # An old action, identified by its time, may have several events. Take the next one.
    return max(others, key=lambda e: (e.pk > removal.pk, -e.pk), default=None)
