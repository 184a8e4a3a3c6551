"""The audit logs: changes to a space's name, keys, members and webhooks, and changes to the whole
installation.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models.access import Space
from accounts.models.actor_types import ActorType
from accounts.models.space_rows import SpaceRow


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """Queries on the audit log; each begins with `in_space`."""

    def in_space(self, space: Space) -> AuditQuerySet:
        """Return the entries of this space."""
        return self.filter(space_id=space.pk)


class AuditAction(models.TextChoices):
    """The recorded actions."""

    SPACE_CREATED = "space.created", _("space created")
    SPACE_RENAMED = "space.renamed", _("space renamed")
    SPACE_CHANGED = "space.changed", _("space changed")
    SPACE_CLOSED = "space.closed", _("space deletion started")
    SPACE_REOPENED = "space.reopened", _("space restored")
    KEY_CREATED = "key.created", _("key created")
    KEY_CHANGED = "key.changed", _("key changed")
    KEY_ROTATED = "key.rotated", _("key rotated")
    KEY_REVOKED = "key.revoked", _("key revoked")
    MEMBER_ADDED = "member.added", _("member added")
    MEMBER_CHANGED = "member.changed", _("member changed")
    MEMBER_REMOVED = "member.removed", _("member removed")
    MEMBER_INVITED = "member.invited", _("invitation created")
    MEMBER_UNINVITED = "member.uninvited", _("invitation withdrawn")
    MEMBER_DECLINED = "member.declined", _("invitation declined")
    ACCOUNT_CREATED = "account.created", _("account created")
    ACCOUNT_CONNECTED = "account.connected", _("account connected")
    FACTOR_ON = "factor.on", _("second factor turned on")
    FACTOR_OFF = "factor.off", _("second factor turned off")
    USER_ERASED = "user.erased", _("user erased")
    WEBHOOK_CREATED = "webhook.created", _("webhook created")
    WEBHOOK_CHANGED = "webhook.changed", _("webhook changed")
    WEBHOOK_ROTATED = "webhook.rotated", _("webhook rotated")
    WEBHOOK_DELETED = "webhook.deleted", _("webhook deleted")
    CONNECTION_ADDED = "connection.added", _("model connection added")
    CONNECTION_CHANGED = "connection.changed", _("model connection changed")
    CONNECTION_DELETED = "connection.deleted", _("model connection deleted")
    MODEL_CHOSEN = "model.chosen", _("model chosen")
    MODEL_UNCHOSEN = "model.unchosen", _("model choice removed")
    EMBEDDER_CHOSEN = "embedder.chosen", _("embedding model chosen")
    MESSAGE_REDACTED = "message.redacted", _("message redacted")
    SHARED = "conversation.shared", _("conversation shared")
    UNSHARED = "conversation.private", _("sharing stopped")
    ASSESSED_AGAIN = "assessment.again", _("re-assessed")


class AuditRecord(models.Model):
    """One change. Append-only: it outlives its subject, so it stores a name and no foreign key."""

    at = models.DateTimeField(_("time"), default=timezone.now)
    actor_type = models.CharField(_("actor type"), max_length=10, choices=ActorType)
    actor_name = models.CharField(_("actor"), max_length=150, blank=True)
    action = models.CharField(_("action"), max_length=20, choices=AuditAction)
    subject = models.CharField(_("subject"), max_length=200)
    detail = models.JSONField(_("details"), default=dict)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.get_action_display()} · {self.subject}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save a new entry. Raises TypeError for an existing one."""
        if not self._state.adding:
            raise TypeError("The audit is append-only.")
        super().save(*args, **kwargs)


class AuditEntry(SpaceRow, AuditRecord):
    """A change to one space."""

    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )

    objects: ClassVar[models.Manager[AuditEntry]] = AuditQuerySet.as_manager()

    class Meta:
        verbose_name = _("activity log entry")
        verbose_name_plural = _("activity log")
        indexes = [models.Index(fields=["space", "at", "id"], name="audit_by_time")]


class InstallationAuditEntry(AuditRecord):
    """A change to the whole installation: its model connections and its keys."""

    class Meta:
        verbose_name = _("activity log entry of the installation")
        verbose_name_plural = _("activity log of the installation")
        indexes = [models.Index(fields=["at", "id"], name="installation_audit_by_time")]
