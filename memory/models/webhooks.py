"""Webhooks of a space, and the messages sent to them."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.personal import PersonalQuerySet, user_field
from accounts.models.space_rows import SpaceForeignKey, SpaceRow
from accounts.models.webhook_events import WebhookEvent
from foundation.sealing import unseal


class WebhookQuerySet(models.QuerySet["Webhook"]):
    """Queries on webhooks; each except those of beat begins with `in_space`."""

    def in_space(self, space: Space) -> WebhookQuerySet:
        """Return the webhooks of this space."""
        return self.filter(space_id=space.pk)

    def claimable(self, now: datetime) -> WebhookQuerySet:
        """Return the active webhooks that no worker has leased."""
        free = Q(leased_until__isnull=True) | Q(leased_until__lt=now)
        return self.filter(free, active=True)

    def with_due_messages(self, now: datetime) -> WebhookQuerySet:
        """Return the claimable webhooks with a message to send now."""
        due = self.filter(deliveries__state="pending", deliveries__due_at__lte=now)
        return due.claimable(now).distinct()


class DeliveryQuerySet(PersonalQuerySet["WebhookDelivery"]):
    """Queries on messages; each begins with `in_space`, or with a webhook of a space."""

    def in_space(self, space: Space) -> DeliveryQuerySet:
        """Return the messages of this space."""
        return self.filter(space_id=space.pk)


class DeliveryState(models.TextChoices):
    """A message's state: pending → delivered | failed; either → pending (sent again by a user)."""

    PENDING = "pending", _("pending")
    DELIVERED = "delivered", _("delivered")
    FAILED = "failed", _("failed")


class Webhook(SpaceRow):
    """A URL that receives events. The secret that signs its messages is sealed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="webhooks", verbose_name=_("space")
    )
    url = models.URLField(_("address"), max_length=2000)
    sealed_secret = models.TextField(editable=False, default="", db_default="")
    events = ArrayField(
        models.CharField(max_length=20, choices=WebhookEvent), verbose_name=_("events")
    )
    active = models.BooleanField(_("active"), default=True)
    switched_off = models.CharField(_("reason for switching off"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    leased_until = models.DateTimeField(null=True, blank=True, editable=False)

    objects: ClassVar[models.Manager[Webhook]] = WebhookQuerySet.as_manager()

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        indexes = [models.Index(fields=["space", "created_at"], name="webhook_by_time")]

    def __str__(self) -> str:
        return self.url

    @property
    def secret(self) -> str:
        """The secret that signs its messages. Raises Unreadable."""
        return unseal(self.sealed_secret)

    @property
    def has_all_events(self) -> bool:
        """Return True if it receives every event."""
        return set(self.events) == set(WebhookEvent)


class WebhookDelivery(SpaceRow):
    """One message to one webhook; its id is the message id, the same in each attempt."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    webhook = SpaceForeignKey(
        Webhook, models.CASCADE, related_name="deliveries", verbose_name=_("webhook")
    )
    # The user whom the message is about.
    user_id = user_field()
    event = models.CharField(_("event"), max_length=20)
    # The history event that the message reports, if any.
    event_id = models.BigIntegerField(null=True, editable=False)
    payload = models.JSONField(_("message"))
    state = models.CharField(
        _("state"), max_length=9, choices=DeliveryState, default=DeliveryState.PENDING
    )
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    due_at = models.DateTimeField(_("next attempt"), default=timezone.now)
    tried_at = models.DateTimeField(_("last attempt"), null=True, blank=True)
    took_ms = models.FloatField(_("duration"), null=True, blank=True)
    status = models.PositiveSmallIntegerField(_("status code"), null=True, blank=True)
    response = models.TextField(_("response"), blank=True)
    error = models.TextField(_("error"), blank=True)

    objects: ClassVar[models.Manager[WebhookDelivery]] = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "webhook", "event_id"], name="delivery_once_per_event"
            )
        ]
        indexes = [
            models.Index(fields=["space", "webhook", "created_at", "id"], name="delivery_by_time"),
            models.Index(
                fields=["webhook", "due_at"], condition=Q(state="pending"), name="delivery_due"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} → {self.webhook_id}"
