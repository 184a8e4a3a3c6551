"""Reads on saved questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from memory.models import SavedQuery, Space  # noqa: F401 - named in the base class


class SavedQueryQuerySet(models.QuerySet["SavedQuery"]):
    """Reads on saved questions; each begins with `in_space`."""

    def in_space(self, space: Space) -> SavedQueryQuerySet:
        return self.filter(space_id=space.pk)

    def newest(self, limit: int) -> list[str]:
        """The questions, the latest first."""
        rows = self.order_by("-created_at", "-pk").values_list("query", flat=True)
        return list(rows[:limit])
