"""Relevance marks of memories for questions: set and remove."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Space, User
from foundation.errors import NotFound
from memory.models import Memory, RelevanceMark
from memory.store.feedback import add_counts


@transaction.atomic
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
    before = _locked_mark(space, query, memory_id)
    mark, _made = RelevanceMark.objects.in_space(space).update_or_create(
        space=space,
        query=query,
        memory_id=memory_id,
        defaults={"relevant": relevant, "made_by": user, "created_at": now},
    )
    _count(space, memory_id, before, relevant)
    return mark


@transaction.atomic
def unmark_relevance(*, space: Space, query: str, memory_id: UUID) -> None:
    """Remove a mark, if there is one. Raises NotFound."""
    before = _locked_mark(space, query, memory_id)
    RelevanceMark.objects.in_space(space).on(query).filter(memory_id=memory_id).delete()
    _count(space, memory_id, before, None)


def _locked_mark(space: Space, query: str, memory_id: UUID) -> bool | None:
    """Lock the memory, and return its mark for the question; None without a mark. Raises
    NotFound."""
    rows = Memory.objects.in_space(space).filter(pk=memory_id).only("pk")
    if rows.select_for_update(no_key=True).first() is None:
        raise NotFound("Memory not found.")
    marks = RelevanceMark.objects.in_space(space).on(query).filter(memory_id=memory_id)
    return marks.values_list("relevant", flat=True).first()


def _count(space: Space, memory_id: UUID, before: bool | None, after: bool | None) -> None:
    """Count the mark as feedback in place of the earlier one. The same mark again counts once."""
    numbers = {
        "confirmations": (after is True) - (before is True),
        "objections": (after is False) - (before is False),
    }
    if any(numbers.values()):
        add_counts(space_id=space.pk, memory_ids=[memory_id], **numbers)
