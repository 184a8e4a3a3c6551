"""Users, spaces, memberships and API keys.

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

from accounts.models.personal import user_field
from accounts.models.zones import zone_field


class SpaceQuerySet(models.QuerySet["Space"]):
    """Queries on spaces."""

    def of_member(self, user: User | Any) -> SpaceQuerySet:
        """Return this user's spaces, except closed ones; none for an anonymous user."""
        if not user.is_authenticated:
            return self.none()
        return self.open().filter(memberships__user=user)

    def open(self) -> SpaceQuerySet:
        """Return all spaces that are not being deleted."""
        return self.filter(closed_at=None)

    def leaving(self, user: User | Any) -> SpaceQuerySet:
        """Return the spaces of this owner that are being deleted, the next one first."""
        owned = self.filter(memberships__user=user, memberships__role="owner")
        return owned.exclude(closed_at=None).order_by("closed_at", "pk")


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Queries on keys, except the authentication of calls (access.live_key)."""

    def in_space(self, space: Space) -> ApiKeyQuerySet:
        """Return the keys of this space."""
        return self.filter(space_id=space.pk)


class User(AbstractUser):
    """A user who logs in. Ebb has its own model since the first migration, so that it can be
    extended.
    """

    # For the playground's first steps (chat.first_steps.steps).
    saw_why_at = models.DateTimeField(null=True, blank=True, editable=False)
    hid_first_steps_at = models.DateTimeField(null=True, blank=True, editable=False)
    # If true, the account's holder is known to be the person of this name, and invitations to the
    # name are theirs (InvitationQuerySet).
    is_vouched = models.BooleanField(
        _("name is confirmed"),
        default=True,
        db_default=False,
        help_text=_("Invitations to this name are shown to this account."),
    )
    # The browser's at the first log-in, unless the user chose another one; "" if unknown.
    time_zone = zone_field()

    class Meta(AbstractUser.Meta):
        pass


class Role(models.TextChoices):
    """A member's role in a space: viewers read, editors change, owners also administer."""

    OWNER = "owner", _("owner")
    EDITOR = "editor", _("editor")
    VIEWER = "viewer", _("viewer")


class Scope(models.TextChoices):
    """A permission of a key."""

    READ = "read", _("read")
    WRITE = "write", _("write")
    ADMIN = "admin", _("admin")


class Space(models.Model):
    """The memory of one user or one agent. Every memory belongs to exactly one space."""

    slug = models.SlugField(_("short name"), max_length=60, unique=True)
    name = models.CharField(_("name"), max_length=120)
    embedder = models.ForeignKey(
        "accounts.Embedder",
        models.PROTECT,
        related_name="spaces",
        verbose_name=_("embedding model"),
    )
    # The model that the space is moving to. Until then, new texts get vectors from both models
    # (embeddings.switching).
    next_embedder = models.ForeignKey(
        "accounts.Embedder",
        models.PROTECT,
        related_name="+",
        verbose_name=_("next embedding model"),
        null=True,
        blank=True,
        editable=False,
    )
    members = models.ManyToManyField(
        User, through="accounts.Membership", related_name="spaces", verbose_name=_("members")
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    # A closed space is invisible to all; some time later it is deleted (spaces.deletion).
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True, editable=False)
    # If true, the space's vectors are in the approximate indexes (embeddings.indexing).
    vectors_indexed = models.BooleanField(default=False, db_default=False, editable=False)
    # Of speakers who name none; "" means UTC.
    time_zone = zone_field()

    objects: ClassVar[models.Manager[Space]] = SpaceQuerySet.as_manager()

    class Meta:
        verbose_name = _("space")
        verbose_name_plural = _("spaces")
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's role in a space."""

    space = models.ForeignKey(
        Space, models.CASCADE, related_name="memberships", verbose_name=_("space")
    )
    user = models.ForeignKey(
        User, models.CASCADE, related_name="memberships", verbose_name=_("user")
    )
    role = models.CharField(_("role"), max_length=10, choices=Role)
    # The name that the inviting owner chose; "" is the account's.
    name = models.CharField(
        _("name in the space"),
        max_length=150,
        blank=True,
        default="",
        db_default="",
        editable=False,
    )

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        constraints = [
            models.UniqueConstraint(fields=["space", "user"], name="membership_once_per_space")
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.space} · {self.get_role_display()}"

    @property
    def known_as(self) -> str:
        """The member's name in the space, which is the `user_id` of what is theirs."""
        return self.name or self.user.get_username()


class ApiKey(models.Model):
    """A program's access to one space. The secret is shown once and stored as SHA-256.

    After a rotation the previous secret works until `previous_until`. `rate_limit` is in requests
    per minute, null for no limit. `spent_until` is its token bucket in one value: the moment by
    which the requests so far are paid off at that rate.
    """

    space = models.ForeignKey(
        Space, models.CASCADE, related_name="api_keys", verbose_name=_("space")
    )
    public_id = models.UUIDField(unique=True, db_default=RandomUUID(), editable=False)
    # The only user for whom the key may act; null for a key that may name any user.
    user_id = user_field()
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
    rate_limit = models.PositiveIntegerField(_("requests per minute"), null=True, blank=True)
    # If false, requests with this key are answered and recall, but teach nothing.
    learns = models.BooleanField(_("learns from requests"), default=True, db_default=True)
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
        """Return `live`, `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "live"

    def earlier_until(self, now: datetime) -> datetime | None:
        """Return when the previous secret stops working, or None if it does not work any more."""
        if self.previous_until is None or self.previous_until <= now or self.state(now) != "live":
            return None
        return self.previous_until
