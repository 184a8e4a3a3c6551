"""A request that comes twice is done once: its key leads to the memories it ended in."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from memory.models import IdempotentWrite, Memory, Space


@dataclass(frozen=True)
class Written:
    """What a statement ended in: the memory that holds it now, and whether that is its own."""

    memory: Memory
    is_new: bool


def answered(*, space: Space, key: str | None) -> list[Written]:
    """What an earlier request with this key ended in, in its order, the memories as they are now.

    Empty if there was none, or nothing is left of it; what was deleted for good is left out.
    """
    if key is None:
        return []
    rows = IdempotentWrite.objects.filter(space=space, key=key)
    return [
        Written(row.memory, row.is_new)
        for row in rows.select_related("memory").order_by("position")
    ]


def once(*, space: Space, key: str | None, write: Callable[[], list[Written]]) -> list[Written]:
    """Writes, unless another request with this key was faster: then nothing of ours stays, and
    what theirs ended in is the answer."""
    if key is None:
        return write()
    try:
        with transaction.atomic():
            done = write()
            IdempotentWrite.objects.bulk_create(
                IdempotentWrite(
                    space=space,
                    key=key,
                    position=position,
                    memory=written.memory,
                    is_new=written.is_new,
                )
                for position, written in enumerate(done)
            )
    except IntegrityError:
        first = answered(space=space, key=key)
        if not first:
            raise
        return first
    return done
