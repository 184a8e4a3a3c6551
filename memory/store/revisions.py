"""Reverting a memory to an earlier revision, as a new revision that can be undone as well."""

from datetime import datetime
from uuid import UUID

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import NotFound
from memory.drafts import Facets, Replacement
from memory.models import Memory, MemoryRevision, Reason
from memory.store.services import revise_memory


def revert_memory(
    *,
    space: Space,
    memory_id: UUID,
    revision: int,
    actor: Actor,
    now: datetime,
    known: int | None = None,
) -> Memory:
    """Restore the memory's values from this past revision. If `known` is given, the memory must
    still be at this revision.

    Raises NotFound for a revision that does not exist, Conflict if the memory is in the bin or at
    another revision.
    """
    past = MemoryRevision.objects.filter(
        space_id=space.pk, memory_id=memory_id, number=revision
    ).first()
    if past is None:
        raise NotFound("Revision not found.")
    return revise_memory(
        space=space,
        memory_id=memory_id,
        change=_values_of(past),
        actor=actor,
        now=now,
        reason=Reason("reverted", revision),
        known=known,
    )


def _values_of(past: MemoryRevision) -> Replacement:
    return Replacement.model_construct(
        content=past.content,
        memory_type=past.memory_type,
        importance=past.importance,
        reinforced_from=past.reinforced_from,
        tags=past.tags,
        topics=past.topics,
        facets=Facets.model_validate(past.facets) if past.facets else None,
        metadata=past.metadata,
        pinned=None,
    )
