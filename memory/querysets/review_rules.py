"""Reads on standing decisions about what is held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Value
from django.db.models.functions import MD5

if TYPE_CHECKING:
    from memory.models import ReviewRule, Space  # noqa: F401 - named in the base class


class ReviewRuleQuerySet(models.QuerySet["ReviewRule"]):
    """Reads on standing decisions; each begins with `in_space`."""

    def in_space(self, space: Space) -> ReviewRuleQuerySet:
        return self.filter(space_id=space.pk)

    def on(self, kind: str) -> ReviewRuleQuerySet:
        """The one on this kind of reason, found by the index."""
        return self.filter(kind_digest=MD5(Value(kind)))
