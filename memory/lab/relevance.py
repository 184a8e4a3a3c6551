"""Relevance marks of memories for questions: set and remove."""

from datetime import datetime
from uuid import UUID

from memory.errors import NotFound
from memory.models import Memory, RelevanceMark, Space, User


def mark_relevance(
    *,
    space: Space,
    query: str,
    memory_id: UUID,
    relevant: bool,
    user: User | None,
    now: datetime,
) -> RelevanceMark:
    """Mark the memory as relevant to the question or not, replacing an earlier mark of the two.
    Raises NotFound.
    """
    if not Memory.objects.in_space(space).filter(pk=memory_id).exists():
        raise NotFound("Memory not found.")
    mark, _made = RelevanceMark.objects.in_space(space).update_or_create(
        space=space,
        query=query,
        memory_id=memory_id,
        defaults={"relevant": relevant, "made_by": user, "created_at": now},
    )
    return mark


def unmark_relevance(*, space: Space, query: str, memory_id: UUID) -> None:
    """Remove a mark, if there is one."""
    RelevanceMark.objects.in_space(space).on(query).filter(memory_id=memory_id).delete()
