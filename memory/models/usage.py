"""Tokens and cost of the calls to models, summed by day."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.space_rows import SpaceRow


class UsagePurpose(models.TextChoices):
    """A reason to call a model."""

    CHAT = "chat", _("Chat")
    ASSESS = "assess", _("Assessment")
    RECONCILE = "reconcile", _("Comparison with known memories")
    SUMMARISE = "summarise", _("Summaries")
    EMBED = "embed", _("Embeddings")


class ModelUsageQuerySet(models.QuerySet["ModelUsage"]):
    """Queries on usage; each begins with `in_space`, except those of operators."""

    def in_space(self, space: Space) -> ModelUsageQuerySet:
        """Return the usage of this space."""
        return self.filter(space_id=space.pk)


class ModelUsage(SpaceRow):
    """The calls of one day (UTC) in one space, for one purpose, to one model of one connection.

    `failed` calls got no answer. The cost of `unpriced` calls is unknown: their price was not set,
    or the endpoint did not count their tokens. The row outlives its connection, so it stores an id
    and a name and no foreign key; both are empty for a model of the environment.
    """

    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    day = models.DateField(_("day"))
    purpose = models.CharField(_("purpose"), max_length=10, choices=UsagePurpose)
    connection_id = models.UUIDField(null=True, blank=True, editable=False)
    connection_name = models.CharField(_("model connection"), max_length=60, blank=True)
    model = models.CharField(_("model"), max_length=120)
    calls = models.PositiveIntegerField(_("calls"), default=0)
    failed = models.PositiveIntegerField(_("failed"), default=0)
    unpriced = models.PositiveIntegerField(_("calls of unknown cost"), default=0)
    prompt_tokens = models.PositiveBigIntegerField(_("prompt tokens"), default=0)
    completion_tokens = models.PositiveBigIntegerField(_("completion tokens"), default=0)
    cost_usd = models.FloatField(_("cost (USD)"), default=0.0)

    objects: ClassVar[models.Manager[ModelUsage]] = ModelUsageQuerySet.as_manager()

    class Meta:
        verbose_name = _("model usage")
        verbose_name_plural = _("model usage")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "day", "purpose", "connection_id", "model"],
                nulls_distinct=False,
                name="model_usage_once_per_day",
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} · {self.get_purpose_display()} · {self.model}"
