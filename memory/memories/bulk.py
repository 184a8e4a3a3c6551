"""Changes to many memories at once: one transaction, and a history event for each changed memory.

Only live memories that the change affects are written. So the history records each action exactly,
and memories.undo can reverse exactly this action.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import CharField, F, Func, Value
from django.db.models.expressions import Combinable

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict
from memory.drafts import MAX_TAGS, MemoryTypeName
from memory.models import BinReason, Memory, Reason, Status
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
    """Pin or unpin memories; return the number changed."""
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
    """Move memories to the bin as deleted; return the number moved."""
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
    """Add a tag; return the number of memories that lacked it. If any memory has the maximum of
    tags, raises Conflict and changes none.

    `tag` is a drafts.Tag: validated and in lower case.
    """
    memories = locked(_live(space, memory_ids).exclude(tags__contains=[tag]))
    if any(len(memory.tags) >= MAX_TAGS for memory in memories):
        raise Conflict(f"One of the memories already has {MAX_TAGS} tags. Remove one first.")
    added = _array("array_append", tag)
    return revise_all(space, memories, actor, now, Reason("tag_added", tag), tags=added)


@transaction.atomic
def untag_memories(
    *, space: Space, memory_ids: Collection[UUID], tag: str, actor: Actor, now: datetime
) -> int:
    """Remove a tag; return the number of memories that had it."""
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
    """Change the type of memories, not their importance; return the number changed."""
    memories = locked(_live(space, memory_ids).exclude(memory_type=memory_type))
    kind = Value(memory_type)
    return revise_all(
        space, memories, actor, now, Reason("type_changed", memory_type), memory_type=kind
    )


def locked(rows: MemoryQuerySet) -> list[Memory]:
    """Return the memories, locked until the transaction ends.

    Rows are locked in order of pk, as everywhere: two transactions could otherwise deadlock.
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
    """Change columns that are neither embedded nor indexed; store the previous revisions."""
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
    """Record a change to many memories in the history; return their number."""
    policy = current_policy(space)
    record(memories=memories, action=action, actor=actor, policy=policy, now=now, reason=reason)
    return len(memories)


def _array(function: str, tag: str) -> Func:
    return Func(F("tags"), Value(tag, output_field=CharField(max_length=60)), function=function)
