"""Reads on the history."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, NoReturn

from django.db import models

from memory.querysets.memories import SHORT_ID

if TYPE_CHECKING:
    from memory.models import MemoryEvent, Space  # noqa: F401 - named in the base class


class HistoryQuerySet(models.QuerySet["MemoryEvent"]):
    """Reads on the history. What has happened is never changed."""

    def in_space(self, space: Space) -> HistoryQuerySet:
        return self.filter(space_id=space.pk)

    def about(self, reference: str) -> HistoryQuerySet:
        """Of one memory, by whole or short id; a reference that is neither raises ValueError.

        A short id is how the whole one begins, so it still finds a memory that was purged.
        """
        if not SHORT_ID.fullmatch(reference):
            return self.filter(memory_id=uuid.UUID(reference))
        rest = uuid.UUID(reference + "0" * 24), uuid.UUID(reference + "f" * 24)
        return self.filter(memory_id__range=rest)

    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("The history is append-only.")
