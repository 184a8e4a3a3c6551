"""Feedback on memories: uses and people's decisions that speak for a memory or against it.

Each event is counted in the transaction that writes it, so an event that is written once counts
once. The formula of the adjustment (formulas.importance) reads the counts.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import F, IntegerField
from django.db.models.functions import Greatest

from foundation.actors import Actor
from memory.models import BinReason, Memory, Status
from memory.models.history import Action
from memory.models.reasons import Reason

Counted = tuple[str, int]
"""A count, and the number to add to it."""

_PEOPLE = {"user", "key", "assistant"}
_ACTIONS: dict[str, Counted] = {
    Action.PINNED: ("confirmations", 1),
    Action.UNPINNED: ("confirmations", -1),
    Action.REINFORCED: ("confirmations", 1),
}
# Without "deleted", whose feedback a restore takes back, and "consolidated", which is not a
# verdict.
_KEPT_AFTER_ALL = {"expired", "over_capacity", "superseded", "rejected"}


def add_counts(*, space_id: int, memory_ids: Collection[UUID], **numbers: int) -> None:
    """Add these numbers to the counts of memories; no count falls below 0."""
    if memory_ids:
        rows = Memory.objects.filter(space_id=space_id, pk__in=memory_ids)
        rows.update(**{name: _raised(name, n) for name, n in numbers.items()})


def pinned_columns(pinned: bool) -> dict[str, Any]:
    """Return the columns of a new memory that is created pinned or not: pinning confirms it."""
    return {"pinned": pinned, "confirmations": int(pinned)}


def _raised(name: str, n: int) -> Greatest:
    return Greatest(F(name) + n, 0, output_field=IntegerField())


def count_feedback(
    memories: Sequence[Memory], *, action: Action, actor: Actor, reason: str
) -> None:
    """Count events of one action of the history, if they say something about the memories. Call
    this in the transaction that writes the events."""
    counted: dict[Counted, list[Memory]] = defaultdict(list)
    for memory in memories:
        if feedback := _feedback(memory, action, actor, reason):
            counted[feedback].append(memory)
    for (name, n), judged in counted.items():
        ids = [memory.pk for memory in judged]
        add_counts(space_id=judged[0].space_id, memory_ids=ids, **{name: n})


def count_correction(
    memory: Memory, changed: Collection[str], *, actor: Actor, reason: str
) -> None:
    """Count a change of a live memory's text by a person as an objection; reverting it takes the
    objection back."""
    if "content" in changed and actor.type in _PEOPLE and memory.status == Status.LIVE:
        reverted = isinstance(reason, Reason) and reason.code == "reverted"
        n = -1 if reverted else 1
        add_counts(space_id=memory.space_id, memory_ids=[memory.pk], objections=n)


def _feedback(memory: Memory, action: Action, actor: Actor, reason: str) -> Counted | None:
    if action in _ACTIONS:
        return _ACTIONS[action]
    if actor.type not in _PEOPLE:
        return None
    if action == Action.RESTORED:
        return _of_restoration(reason, 1)
    if action == Action.DELETED:
        code = reason.code if isinstance(reason, Reason) else reason
        if code == "restoration_undone":
            return _of_restoration(memory.bin_reason, -1)
        if code in {BinReason.DELETED, "discarded_at_source"}:
            return "objections", 1
    return None


def _of_restoration(bin_reason: str, sign: int) -> Counted | None:
    """Return what restoring a memory says, or with the sign -1 undoing that. Restoring a deleted
    memory takes the deletion back."""
    if bin_reason == BinReason.DELETED:
        return "objections", -sign
    return ("confirmations", sign) if bin_reason in _KEPT_AFTER_ALL else None
