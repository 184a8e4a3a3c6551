"""Reads on relevance marks."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import models
from django.db.models import F, Max, Value
from django.db.models.functions import MD5

if TYPE_CHECKING:
    from memory.models import RelevanceMark, Space  # noqa: F401 - named in the base class


class RelevanceMarkQuerySet(models.QuerySet["RelevanceMark"]):
    """Reads on relevance marks; each begins with `in_space`."""

    def in_space(self, space: Space) -> RelevanceMarkQuerySet:
        return self.filter(space_id=space.pk)

    def on(self, query: str) -> RelevanceMarkQuerySet:
        """Those made for this question, found by the index."""
        return self.filter(query_digest=MD5(Value(query)))

    def to_be_found(self) -> RelevanceMarkQuerySet:
        """Those that call a memory relevant which can still be found."""
        alive = {"memory__status": "live", "memory__space_id": F("space_id")}
        return self.filter(relevant=True, **alive)

    def by_question(self, limit: int) -> list[tuple[str, list[UUID]]]:
        """Each question with its memories, the latest marked first."""
        rows = self.values("query").annotate(
            latest=Max("created_at"), memories=ArrayAgg("memory_id")
        )
        found = rows.order_by("-latest", "query").values_list("query", "memories")
        return list(found[:limit])
