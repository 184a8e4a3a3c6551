"""A request that comes twice is done once: its key leads to the memories it ended in."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.models import IdempotentWrite, Memory, Space


@dataclass(frozen=True)
class Written:
    """What a statement ended in: the memory that holds it now, and whether that is its own."""

    memory: Memory
    is_new: bool


def earlier_answer(*, space: Space, key: str | None) -> list[Written]:
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


def keep_answer(*, space: Space, key: str | None, answer: Sequence[Written]) -> None:
    """Keep what a request ended in under its key, in the transaction of its writes.

    Raises IntegrityError if another request with this key was faster.
    """
    if key is None:
        return
    IdempotentWrite.objects.bulk_create(
        IdempotentWrite(
            space=space, key=key, position=position, memory=written.memory, is_new=written.is_new
        )
        for position, written in enumerate(answer)
    )
