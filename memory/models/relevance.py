"""Relevance marks: a user's statement that a memory is relevant to a question, or not."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.aggregates import ArrayAgg
from django.db import models
from django.db.models import F, Max, Value
from django.db.models.functions import MD5
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.space_rows import SpaceForeignKey, SpaceRow


class RelevanceMarkQuerySet(models.QuerySet["RelevanceMark"]):
    """Queries on relevance marks; each begins with `in_space`."""

    def in_space(self, space: Space) -> RelevanceMarkQuerySet:
        """Return the marks of this space."""
        return self.filter(space_id=space.pk)

    def on(self, query: str) -> RelevanceMarkQuerySet:
        """Return the marks for this question, through the index."""
        return self.filter(query_digest=MD5(Value(query)))

    def to_be_found(self) -> RelevanceMarkQuerySet:
        """Return the marks that call a live memory relevant."""
        alive = {"memory__status": "live", "memory__space_id": F("space_id")}
        return self.filter(relevant=True, **alive)

    def by_question(self, limit: int) -> list[tuple[str, list[UUID]]]:
        """Return each question with its memories, the latest marked first."""
        rows = self.values("query").annotate(
            latest=Max("created_at"), memories=ArrayAgg("memory_id")
        )
        found = rows.order_by("-latest", "query").values_list("query", "memories")
        return list(found[:limit])


class RelevanceMark(SpaceRow):
    """One mark of a memory for a question, by a user or a program; a newer mark replaces it.

    Recall does not read marks; they measure the quality of recall. Each mark also counts as
    feedback on its memory (memory.store.feedback).
    """

    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    query = models.TextField(_("question"))
    # A question may be too long for an index.
    query_digest = models.GeneratedField(
        expression=MD5("query"), output_field=models.CharField(max_length=32), db_persist=True
    )
    memory = SpaceForeignKey(
        "memory.Memory", models.CASCADE, related_name="relevance_marks", verbose_name=_("memory")
    )
    relevant = models.BooleanField(_("relevant"))
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("marked by"),
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    objects: ClassVar[models.Manager[RelevanceMark]] = RelevanceMarkQuerySet.as_manager()

    class Meta:
        verbose_name = _("relevance label")
        verbose_name_plural = _("relevance labels")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "query_digest", "memory"],
                name="relevance_once_per_question_and_memory",
            )
        ]

    def __str__(self) -> str:
        return f"{'relevant' if self.relevant else 'not relevant'} · {self.query[:60]}"
