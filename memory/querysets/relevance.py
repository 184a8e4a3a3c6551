"""Reads on relevance marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Value
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
