"""Lookup of a space's memories by whole or short id, for all endpoints."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from memory.errors import FieldError, InvalidArguments, NotFound
from memory.models import Memory, Space
from memory.models.memories import SHORT_ID, MemoryQuerySet
from memory.models.policies import current_policy


def readable(space: Space, *, as_of: datetime | None = None) -> MemoryQuerySet:
    """Return the space's memories with their importance now, which every answer shows."""
    decay = current_policy(space).document.decay
    return Memory.objects.in_space(space).with_importance_now(
        decay=decay, now=as_of or timezone.now()
    )


def one(space: Space, reference: str, *, field: str = "id") -> Memory:
    """Return the memory with this whole or short id; raises InvalidArguments or NotFound."""
    return many(space, [reference], field=field)[0]


def many(space: Space, references: Sequence[str], *, field: str = "ids") -> list[Memory]:
    """Return the memories with these whole or short ids, each once.

    Raises InvalidArguments for a malformed id, NotFound if any memory is missing.
    """
    try:
        rows = list(readable(space).referred_to(*references))
    except ValueError:
        raise InvalidArguments(FieldError(field, "must be a UUID or a short id")) from None
    found = {row.short_id for row in rows} | {row.pk for row in rows}
    if any((name if name in found else _whole(name)) not in found for name in references):
        raise NotFound("Memory not found.")
    return rows


def _whole(reference: str) -> UUID | None:
    """Return the reference as a UUID, or None if it is a short id."""
    return None if SHORT_ID.fullmatch(reference) else UUID(reference)
