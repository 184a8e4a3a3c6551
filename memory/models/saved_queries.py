"""Saved questions, to try with other policies and rankings."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import MD5
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.space_rows import SpaceRow

MAX_SAVED = 50
"""Maximum number of saved questions per space."""


class SavedQueryQuerySet(models.QuerySet["SavedQuery"]):
    """Queries on saved questions; each begins with `in_space`."""

    def in_space(self, space: Space) -> SavedQueryQuerySet:
        """Return the questions of this space."""
        return self.filter(space_id=space.pk)

    def newest(self, limit: int) -> list[str]:
        """Return the texts of the questions, newest first."""
        rows = self.order_by("-created_at", "-pk").values_list("query", flat=True)
        return list(rows[:limit])


class SavedQuery(SpaceRow):
    """One saved question of a space, for the lab and the policy preview; recall ignores it."""

    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    query = models.TextField(_("question"))
    # A question may be too long for an index.
    query_digest = models.GeneratedField(
        expression=MD5("query"), output_field=models.CharField(max_length=32), db_persist=True
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    objects: ClassVar[models.Manager[SavedQuery]] = SavedQueryQuerySet.as_manager()

    class Meta:
        verbose_name = _("saved question")
        verbose_name_plural = _("saved questions")
        constraints = [
            models.UniqueConstraint(fields=["space", "query_digest"], name="saved_query_once")
        ]

    def __str__(self) -> str:
        return self.query[:60]
