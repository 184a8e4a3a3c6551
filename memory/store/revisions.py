"""Reverting a memory to an earlier revision, as a new revision that can be undone as well."""

from datetime import datetime
from uuid import UUID

from memory.actors import Actor
from memory.drafts import Facets, Reversion
from memory.errors import NotFound
from memory.models import Memory, MemoryRevision, Reason, Space
from memory.store.services import revise_memory


def revert_memory(
    *, space: Space, memory_id: UUID, revision: int, actor: Actor, now: datetime
) -> Memory:
    """Restore the memory's values from this past revision.

    Raises NotFound for a revision that does not exist, Conflict if the memory is in the bin.
    """
    past = MemoryRevision.objects.filter(
        space_id=space.pk, memory_id=memory_id, number=revision
    ).first()
    if past is None:
        raise NotFound("Revision not found.")
    change = Reversion.model_construct(
        content=past.content,
        memory_type=past.memory_type,
        importance=past.importance,
        tags=past.tags,
        topics=past.topics,
        facets=Facets.model_validate(past.facets) if past.facets else None,
        pinned=None,
    )
    return revise_memory(
        space=space,
        memory_id=memory_id,
        change=change,
        actor=actor,
        now=now,
        reason=Reason("reverted", revision),
    )
