"""Ids of new memories: Ebb's own, and the caller's."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError

from accounts.models import Space
from foundation.errors import Conflict
from memory.models import Memory


@contextmanager
def external_id_free() -> Iterator[None]:
    """Raise Conflict if a memory written meanwhile has the external id of another one."""
    try:
        yield
    except DatabaseError as error:  # on Citus, the shard's refusal is an internal error
        if "memory_external_id_in_space" not in str(error):
            raise
        raise Conflict(
            "Another memory has this external_id. Use another one, or update that memory."
        ) from None


def new_ids(space: Space, count: int) -> list[uuid.UUID]:
    """Return random ids whose first eight hex digits are unused in the space and unique."""
    ids: dict[str, uuid.UUID] = {}
    while len(ids) < count:
        fresh = {(new := uuid.uuid4()).hex[:8]: new for _ in range(count - len(ids))}
        taken = Memory.objects.in_space(space).filter(short_id__in=list(fresh))
        for short_id in taken.values_list("short_id", flat=True):
            del fresh[short_id]
        ids |= fresh
    return list(ids.values())
