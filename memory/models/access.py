"""Users, spaces, who belongs to which, and the keys of other programs.

These tables are small and shared by all spaces; every other table belongs to one space.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class SpaceQuerySet(models.QuerySet["Space"]):
    """Reads on spaces."""

    def of_member(self, user: User | Any) -> SpaceQuerySet:
        """The spaces this user belongs to, but those that are being deleted; none for somebody who
        is not logged in."""
        if not user.is_authenticated:
            return self.none()
        return self.open().filter(memberships__user=user)

    def open(self) -> SpaceQuerySet:
        """All but those that are being deleted."""
        return self.filter(closed_at=None)

    def leaving(self, user: User | Any) -> SpaceQuerySet:
        """Those that are being deleted and that this user owned, the next to go first."""
        owned = self.filter(memberships__user=user, memberships__role="owner")
        return owned.exclude(closed_at=None).order_by("closed_at", "pk")


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Reads on keys, but the hot one (access.live_key)."""

    def in_space(self, space: Space) -> ApiKeyQuerySet:
        return self.filter(space_id=space.pk)


class User(AbstractUser):
    """A person who logs in. A model of our own from the first migration, so that it can grow."""

    class Meta(AbstractUser.Meta):
        pass


class Role(models.TextChoices):
    """What a member may do in a space: viewers look, editors change, owners also steer."""

    OWNER = "owner", _("owner")
    EDITOR = "editor", _("editor")
    VIEWER = "viewer", _("viewer")


class Scope(models.TextChoices):
    """What a key may do."""

    READ = "read", _("read")
    WRITE = "write", _("write")
    ADMIN = "admin", _("admin")


class Space(models.Model):
    """One user's or one agent's memory. Everything remembered belongs to exactly one."""

    slug = models.SlugField(_("short name"), max_length=60, unique=True)
    name = models.CharField(_("name"), max_length=120)
    embedder = models.ForeignKey(
        "memory.Embedder", models.PROTECT, related_name="spaces", verbose_name=_("embedder")
    )
    # The model it is moving to: new vectors are by both meanwhile (embeddings.switching).
    next_embedder = models.ForeignKey(
        "memory.Embedder",
        models.PROTECT,
        related_name="+",
        verbose_name=_("next embedder"),
        null=True,
        blank=True,
        editable=False,
    )
    members = models.ManyToManyField(
        User, through="memory.Membership", related_name="spaces", verbose_name=_("members")
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    # From then on it exists for nobody; a while later it is deleted (spaces.deletion).
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True, editable=False)

    objects: ClassVar[models.Manager[Space]] = SpaceQuerySet.as_manager()

    class Meta:
        verbose_name = _("space")
        verbose_name_plural = _("spaces")
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's role in a space."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=Role)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [
            models.UniqueConstraint(fields=["space", "user"], name="membership_once_per_space")
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.space} · {self.get_role_display()}"


class ApiKey(models.Model):
    """A program's access to one space. The key itself is shown once and stored as SHA-256.

    After a rotation the secret before it works, too, until `previous_until`. `rate_limit` is in
    requests a minute, null for as many as one likes; `spent_until` is its token bucket in one
    value: the moment by which all that was asked so far is paid off at that rate.
    """

    space = models.ForeignKey(Space, models.CASCADE, related_name="api_keys")
    public_id = models.UUIDField(unique=True, db_default=RandomUUID(), editable=False)
    name = models.CharField(_("name"), max_length=120, blank=True)
    prefix = models.CharField(_("prefix"), max_length=12)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    previous_digest = models.CharField(  # noqa: DJ001 - of many keys without one, "" is not unique
        max_length=64, unique=True, null=True, blank=True, editable=False
    )
    previous_until = models.DateTimeField(
        _("previous secret works until"), null=True, blank=True, editable=False
    )
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope), verbose_name=_("scopes"))
    rate_limit = models.PositiveIntegerField(_("requests a minute"), null=True, blank=True)
    spent_until = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)

    objects: ClassVar[models.Manager[ApiKey]] = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.space})"

    def state(self, now: datetime) -> str:
        """`live`, `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "live"

    def earlier_until(self, now: datetime) -> datetime | None:
        """Until when the secret before the last rotation works, if it still does."""
        if self.previous_until is None or self.previous_until <= now or self.state(now) != "live":
            return None
        return self.previous_until
