"""Responses of `POST /v1/responses`."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.space_rows import SpaceForeignKey, SpaceRow
from foundation.readers import Reader


class StoredResponseQuerySet(models.QuerySet["StoredResponse"]):
    """Queries on stored responses; each begins with `in_space`."""

    def in_space(self, space: Space) -> StoredResponseQuerySet:
        """Return the space's responses whose conversation is not deleted."""
        return self.filter(
            space_id=space.pk,
            conversation__space_id=space.pk,
            conversation__deleted_at__isnull=True,
        )

    def readable_by(self, reader: Reader) -> StoredResponseQuerySet:
        """Return the responses in conversations that this reader sees."""
        return self.filter(reader.where("conversation__user_id"))


class StoredResponse(SpaceRow):
    """A response of `POST /v1/responses`, which clients can retrieve and continue."""

    id = models.CharField(primary_key=True, max_length=64, editable=False)
    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    conversation = SpaceForeignKey(
        "chat.Conversation",
        models.CASCADE,
        related_name="responses",
        verbose_name=_("conversation"),
    )
    # The response that this one continues; "" if it is the first.
    previous_id = models.CharField(max_length=64, blank=True)
    # The request's own input items; those before it are in the previous responses.
    items = models.JSONField(_("input"))
    body = models.JSONField(_("response"))
    created_at = models.DateTimeField(_("created"))

    objects: ClassVar[models.Manager[StoredResponse]] = StoredResponseQuerySet.as_manager()

    class Meta:
        verbose_name = _("response")
        verbose_name_plural = _("responses")
        indexes = [
            models.Index(
                fields=["space", "conversation", "created_at"], name="response_by_conversation"
            )
        ]

    def __str__(self) -> str:
        return self.id
