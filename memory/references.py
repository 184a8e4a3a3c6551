"""Lookup of a space's memories by whole, short or legacy id, for all endpoints."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from django.utils import timezone

from accounts.models import Space
from foundation.errors import FieldError, Forbidden, InvalidArguments, NotFound
from foundation.readers import Reader
from memory.models import Memory
from memory.models.memories import LEGACY_ID, SHORT_ID, MemoryQuerySet
from memory.models.policies import current_policy


class Owned(Protocol):
    """A row that belongs to a user, or is shared."""

    @property
    def user_id(self) -> str | None:
        """The user of the row; None if all users share it."""


def readable(space: Space, reader: Reader, *, as_of: datetime | None = None) -> MemoryQuerySet:
    """Return the memories that the reader sees, with their current importance, which every response
    shows.
    """
    decay = current_policy(space).document.decay
    rows: MemoryQuerySet = Memory.objects.in_space(space).readable_by(reader)
    return rows.with_importance_now(decay=decay, now=as_of or timezone.now())


def one(space: Space, reader: Reader, reference: str, *, field: str = "id") -> Memory:
    """Return the memory with this whole or short id; raises InvalidArguments or NotFound."""
    return many(space, reader, [reference], field=field)[0]


def many(
    space: Space, reader: Reader, references: Sequence[str], *, field: str = "ids"
) -> list[Memory]:
    """Return the memories with these whole, short or legacy ids, each once.

    Raises InvalidArguments for a malformed id, NotFound if the reader does not see them all.
    """
    try:
        rows = list(readable(space, reader).referred_to(*references))
    except ValueError:
        raise InvalidArguments(FieldError(field, "must be a UUID or a short id")) from None
    found = {name for row in rows for name in (row.pk, row.short_id, row.legacy_id)}
    if any((name if name in found else _whole(name)) not in found for name in references):
        raise NotFound("Memory not found.")
    return rows


def changeable(space: Space, reader: Reader, reference: str, *, field: str = "id") -> Memory:
    """Return a memory that the reader may change. Raises the errors of `one`, and Forbidden for a
    shared memory if the reader is a user."""
    memory = one(space, reader, reference, field=field)
    check_change(reader, memory)
    return memory


def check_change(reader: Reader, *rows: Owned) -> None:
    """Raise Forbidden unless the reader may change these rows."""
    if not all(reader.may_change(row.user_id) for row in rows):
        raise Forbidden("All users share this memory. Change it without naming a user.")


def _whole(reference: str) -> UUID | None:
    """Return the reference as a UUID, or None if it is a short or legacy id."""
    is_short = SHORT_ID.fullmatch(reference) or LEGACY_ID.fullmatch(reference)
    return None if is_short else UUID(reference)
