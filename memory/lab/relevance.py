"""Marking a memory as relevant to a question, or as not; and taking that back."""

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
    """Says whether the memory has to do with the question; what was said of the two before is
    replaced. Raises NotFound."""
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
    """Takes a mark back; where there is none, nothing happens."""
    RelevanceMark.objects.in_space(space).on(query).filter(memory_id=memory_id).delete()
