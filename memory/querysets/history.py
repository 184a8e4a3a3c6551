"""Reads on the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from django.db import models

if TYPE_CHECKING:
    from memory.models import MemoryEvent, Space  # noqa: F401 - named in the base class


class HistoryQuerySet(models.QuerySet["MemoryEvent"]):
    """Reads on the history. What has happened is never changed."""

    def in_space(self, space: Space) -> HistoryQuerySet:
        return self.filter(space_id=space.pk)

    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("The history is append-only.")
