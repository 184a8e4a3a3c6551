"""Idempotent writes: a repeated request runs once, and its key leads to the resulting memories."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from accounts.models import Space
from foundation.readers import Reader
from memory.models import IdempotentWrite, Memory


@dataclass(frozen=True)
class Written:
    """The result for a statement: the memory that now contains it; `is_new` if it was created for
    it."""

    memory: Memory
    is_new: bool


def key_of(key: str | None, reader: Reader) -> str | None:
    """Return the key as stored. Two users may choose the same key without getting each other's
    results.
    """
    if key is None or reader.user_id is None:
        return key
    return hashlib.sha256(f"{reader.user_id}\0{key}".encode()).hexdigest()


def earlier_answer(*, space: Space, key: str | None) -> list[Written]:
    """Return the results of an earlier request with this key, in its order, with the memories as
    they are now.

    Empty if there was none or no memory is left; purged memories are omitted.
    """
    if key is None:
        return []
    rows = IdempotentWrite.objects.filter(space=space, key=key)
    return [
        Written(row.memory, row.is_new)
        for row in rows.select_related("memory").order_by("position")
    ]


def keep_answer(*, space: Space, key: str | None, answer: Sequence[Written]) -> None:
    """Save the results of a request under its key, in the transaction of its writes.

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


def forget_answers(memory: Memory) -> None:
    """Delete the keys that lead to a memory, which belongs to another user now."""
    IdempotentWrite.objects.filter(space_id=memory.space_id, memory_id=memory.pk).delete()
