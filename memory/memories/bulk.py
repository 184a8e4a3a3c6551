"""The same change to many memories at once: one transaction, and a line of history for each that
it changes.

Only live memories are changed, and only those that the change makes different; so the history says
exactly what an action did, and memories.undo can take exactly that back.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import CharField, F, Func, Value
from django.db.models.expressions import Combinable

from memory.actors import Actor
from memory.drafts import MAX_TAGS, MemoryTypeName
from memory.errors import Conflict
from memory.models import BinReason, Memory, Reason, Space, Status
from memory.models.history import Action
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy
from memory.store.history import record
from memory.store.services import keep_revisions

PINS = (Action.PINNED, Action.UNPINNED)


@transaction.atomic
def pin_memories(
    *,
    space: Space,
    memory_ids: Iterable[UUID],
    pinned: bool,
    actor: Actor,
    now: datetime,
    reason: str = "",
) -> int:
    """Pins or unpins memories; how many were not so before."""
    memories = locked(_live(space, memory_ids).filter(pinned=not pinned))
    for memory in memories:
        memory.pinned = pinned
    _rows(space, memories).update(pinned=pinned)
    action = Action.PINNED if pinned else Action.UNPINNED
    return record_all(space, memories, action, actor, now, reason)


@transaction.atomic
def delete_memories(
    *, space: Space, memory_ids: Collection[UUID], actor: Actor, now: datetime
) -> int:
    """Lets memories go because somebody said so; how many went into the bin."""
    decay = current_policy(space).document.decay
    memories = locked(_live(space, memory_ids))
    _rows(space, memories).with_importance_now(decay=decay, now=now).update(
        status=Status.BINNED,
        bin_reason=BinReason.DELETED,
        binned_at=now,
        importance_then=F("current_importance"),
    )
    return record_all(space, memories, Action.DELETED, actor, now, BinReason.DELETED.value)


@transaction.atomic
def tag_memories(
    *, space: Space, memory_ids: Collection[UUID], tag: str, actor: Actor, now: datetime
) -> int:
    """Adds a tag; how many did not have it. Raises Conflict, and changes none, if one is full.

    `tag` is a drafts.Tag: checked and in lower case.
    """
    memories = locked(_live(space, memory_ids).exclude(tags__contains=[tag]))
    if any(len(memory.tags) >= MAX_TAGS for memory in memories):
        raise Conflict(f"One of the memories already has {MAX_TAGS} tags.")
    added = _array("array_append", tag)
    return revise_all(space, memories, actor, now, Reason("tag_added", tag), tags=added)


@transaction.atomic
def untag_memories(
    *, space: Space, memory_ids: Collection[UUID], tag: str, actor: Actor, now: datetime
) -> int:
    """Takes a tag away; how many had it."""
    memories = locked(_live(space, memory_ids).filter(tags__contains=[tag]))
    left = _array("array_remove", tag)
    return revise_all(space, memories, actor, now, Reason("tag_removed", tag), tags=left)


@transaction.atomic
def retype_memories(
    *,
    space: Space,
    memory_ids: Collection[UUID],
    memory_type: MemoryTypeName,
    actor: Actor,
    now: datetime,
) -> int:
    """Makes memories be of another type; how many were not. What they weigh stays as it is."""
    memories = locked(_live(space, memory_ids).exclude(memory_type=memory_type))
    kind = Value(memory_type)
    return revise_all(
        space, memories, actor, now, Reason("type_changed", memory_type), memory_type=kind
    )


def locked(rows: MemoryQuerySet) -> list[Memory]:
    """The memories, held against others until the transaction ends.

    In one order, as all who hold several rows: two at once would otherwise wait for each other.
    """
    return list(rows.defer("search").select_for_update().order_by("pk"))


def _live(space: Space, memory_ids: Iterable[UUID]) -> MemoryQuerySet:
    return Memory.objects.in_space(space).live().filter(pk__in=memory_ids)


def _rows(space: Space, memories: Collection[Memory]) -> MemoryQuerySet:
    return Memory.objects.in_space(space).filter(pk__in=[memory.pk for memory in memories])


def revise_all(
    space: Space,
    memories: Sequence[Memory],
    actor: Actor,
    now: datetime,
    reason: str,
    **changes: Combinable,
) -> int:
    """Changes what is not embedded or indexed of a memory, and keeps what it said before."""
    actor = actor.in_action()
    keep_revisions(memories, actor=actor, now=now, reason=reason)
    _rows(space, memories).update(revision=F("revision") + 1, **changes)
    return record_all(space, memories, Action.REVISED, actor, now, reason)


def record_all(
    space: Space,
    memories: Collection[Memory],
    action: Action,
    actor: Actor,
    now: datetime,
    reason: str,
) -> int:
    """Writes the history of a change to many memories; how many they are."""
    policy = current_policy(space)
    record(memories=memories, action=action, actor=actor, policy=policy, now=now, reason=reason)
    return len(memories)


def _array(function: str, tag: str) -> Func:
    return Func(F("tags"), Value(tag, output_field=CharField(max_length=60)), function=function)
