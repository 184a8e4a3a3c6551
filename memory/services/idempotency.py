"""A request that comes twice is done once: its key leads to the memory it ended in."""

from collections.abc import Callable

from django.db import IntegrityError, transaction

from memory.models import IdempotentWrite, Memory, Space


def answered(*, space: Space, key: str | None) -> Memory | None:
    """The memory that an earlier request with this key ended in, as it is now."""
    if key is None:
        return None
    rows = Memory.objects.in_space(space)
    return rows.filter(idempotent_writes__space_id=space.pk, idempotent_writes__key=key).first()


def once(*, space: Space, key: str | None, write: Callable[[], Memory]) -> Memory:
    """Writes, unless another request with this key was faster: then nothing of ours stays, and
    theirs is the memory."""
    if key is None:
        return write()
    try:
        with transaction.atomic():
            memory = write()
            IdempotentWrite.objects.create(space=space, key=key, memory=memory)
    except IntegrityError:
        first = answered(space=space, key=key)
        if first is None:
            raise
        return first
    return memory
