"""Connections to model endpoints, and the model chosen for each purpose.

Both tables belong to the installation. A choice may be limited to one space.
"""

from __future__ import annotations

from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Purpose(models.TextChoices):
    """A purpose for which a model can be chosen."""

    CHAT = "chat", _("Chat")
    ASSESS = "assess", _("Assessor")
    EMBED = "embed", _("Embeddings of new spaces")


ANSWERING = (Purpose.CHAT, Purpose.ASSESS)
"""The purposes that each space may choose for itself. A space's embedding model is its own."""


class ModelConnection(models.Model):
    """An OpenAI-compatible endpoint. Its key is sealed (foundation.sealing), "" for none.

    Prices are in US dollars per million tokens. `failure` is the endpoint's last error and
    `failing_since` the time of the first one; both are empty again after a success.
    """

    id = models.UUIDField(primary_key=True, db_default=RandomUUID(), editable=False)
    name = models.CharField(_("name"), max_length=60, unique=True)
    preset = models.CharField(_("preset"), max_length=20, blank=True)
    base_url = models.CharField(_("address"), max_length=300)
    sealed_key = models.TextField(blank=True, editable=False)
    price_prompt = models.FloatField(_("price of a million prompt tokens"), null=True, blank=True)
    price_completion = models.FloatField(
        _("price of a million completion tokens"), null=True, blank=True
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    changed_at = models.DateTimeField(_("changed"), default=timezone.now)
    failure = models.CharField(_("last failure"), max_length=400, blank=True)
    failing_since = models.DateTimeField(_("failing since"), null=True, blank=True)

    class Meta:
        verbose_name = _("model connection")
        verbose_name_plural = _("model connections")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class ModelChoice(models.Model):
    """The model for a purpose, in one space or, without a space, in the whole installation."""

    purpose = models.CharField(_("purpose"), max_length=10, choices=Purpose)
    space = models.ForeignKey(
        "accounts.Space",
        models.CASCADE,
        related_name="+",
        verbose_name=_("space"),
        null=True,
        blank=True,
    )
    connection = models.ForeignKey(
        ModelConnection, models.CASCADE, related_name="choices", verbose_name=_("model connection")
    )
    model = models.CharField(_("model"), max_length=120)

    class Meta:
        verbose_name = _("model choice")
        verbose_name_plural = _("model choices")
        constraints = [
            models.UniqueConstraint(fields=["purpose", "space"], name="model_choice_of_space"),
            models.UniqueConstraint(
                fields=["purpose"],
                condition=Q(space=None),
                name="model_choice_of_installation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_purpose_display()}: {self.model}"
