"""The audit log of a space: changes to its name, keys, members and webhooks."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memory.models.access import Space


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """Queries on the audit log; each begins with `in_space`."""

    def in_space(self, space: Space) -> AuditQuerySet:
        """Return the entries of this space."""
        return self.filter(space_id=space.pk)


class AuditAction(models.TextChoices):
    """The recorded actions."""

    SPACE_CREATED = "space.created", _("space created")
    SPACE_RENAMED = "space.renamed", _("space renamed")
    SPACE_CLOSED = "space.closed", _("space deletion started")
    SPACE_REOPENED = "space.reopened", _("space restored")
    KEY_CREATED = "key.created", _("key created")
    KEY_CHANGED = "key.changed", _("key changed")
    KEY_ROTATED = "key.rotated", _("key rotated")
    KEY_REVOKED = "key.revoked", _("key revoked")
    MEMBER_ADDED = "member.added", _("member added")
    MEMBER_CHANGED = "member.changed", _("member changed")
    MEMBER_REMOVED = "member.removed", _("member removed")
    MEMBER_LINKED = "member.linked", _("login link created")
    WEBHOOK_CREATED = "webhook.created", _("webhook created")
    WEBHOOK_CHANGED = "webhook.changed", _("webhook changed")
    WEBHOOK_ROTATED = "webhook.rotated", _("webhook rotated")
    WEBHOOK_DELETED = "webhook.deleted", _("webhook deleted")
    ASSESSED_AGAIN = "assessment.again", _("re-assessed")


class AuditEntry(models.Model):
    """One entry. Append-only: it outlives its subject, so it stores a name and no foreign key."""

    space = models.ForeignKey("memory.Space", models.CASCADE, related_name="+")
    at = models.DateTimeField(_("time"), default=timezone.now)
    actor_type = models.CharField(_("actor type"), max_length=10)
    actor_name = models.CharField(_("actor"), max_length=150, blank=True)
    action = models.CharField(_("action"), max_length=20, choices=AuditAction)
    subject = models.CharField(_("subject"), max_length=200)
    detail = models.JSONField(_("details"), default=dict)

    objects: ClassVar[models.Manager[AuditEntry]] = AuditQuerySet.as_manager()

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        indexes = [models.Index(fields=["space", "at", "id"], name="audit_by_time")]

    def __str__(self) -> str:
        return f"{self.action} · {self.subject}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("The audit is append-only.")
        super().save(*args, **kwargs)
