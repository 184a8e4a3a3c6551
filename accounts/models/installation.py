"""Keys of the installation, which belong to no space."""

from __future__ import annotations

from datetime import datetime

from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class InstallationKey(models.Model):
    """A program's access to model connections and spaces, but to no space's memories.

    The secret is shown once and stored as SHA-256. A table of its own, so that no query for a
    space's keys can return one.
    """

    id = models.UUIDField(primary_key=True, db_default=RandomUUID(), editable=False)
    name = models.CharField(_("name"), max_length=120, blank=True)
    prefix = models.CharField(_("prefix"), max_length=16)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)

    class Meta:
        verbose_name = _("installation key")
        verbose_name_plural = _("installation keys")
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.prefix}…"

    def works(self, now: datetime) -> bool:
        """Return whether the key is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)
