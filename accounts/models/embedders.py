"""Embedding models: each space uses one.

A model is a row, not a column type: vectors of two models can exist side by side while a space
moves from one to the other.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Embedder(models.Model):
    """An embedding model that some space uses or is moving to."""

    # A provider's name, or "connection:" and the id of a model connection.
    provider = models.CharField(_("provider"), max_length=60)
    model = models.CharField(_("model"), max_length=120)
    dimensions = models.PositiveIntegerField(_("dimensions"))

    class Meta:
        verbose_name = _("embedding model")
        verbose_name_plural = _("embedding models")
        constraints = [
            models.UniqueConstraint(fields=["provider", "model"], name="embedder_once_per_model")
        ]

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"
