"""Invitations to a space. Until it is accepted, an invitation gives no access to anything."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models.access import Role, Space, User


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Queries on invitations."""

    def of_space(self, space: Space) -> InvitationQuerySet:
        """Return the invitations to this space, expired ones too."""
        return self.filter(space=space).order_by("name")

    def valid(self, now: datetime) -> InvitationQuerySet:
        """Return the invitations that can be accepted now, with their spaces: those of people who
        are still owners."""
        rows = self.filter(
            expires_at__gt=now,
            space__closed_at=None,
            invited_by__is_active=True,
            invited_by__memberships__space=models.F("space"),
            invited_by__memberships__role=Role.OWNER,
        )
        return rows.select_related("space")

    def to_user(self, user: User, now: datetime) -> InvitationQuerySet:
        """Return the valid invitations that the account may accept without their link: those to
        its name, if that is confirmed."""
        if not user.is_vouched:
            return self.none()
        return self.valid(now).filter(name=user.get_username()).order_by("space__name", "pk")


class Invitation(models.Model):
    """A pending member of a space. Accepting it makes a membership and deletes the invitation.

    A person with the token may accept it, whatever their account is called. Only its SHA-256 is
    stored; a new token replaces it. `is_mailed` is true if the token was mailed to `name` and shown
    to nobody, so that its use proves the address.
    """

    space = models.ForeignKey(
        Space, models.CASCADE, related_name="invitations", verbose_name=_("space")
    )
    invited_by = models.ForeignKey(User, models.CASCADE, related_name="+")
    name = models.CharField(_("name"), max_length=150)
    role = models.CharField(_("role"), max_length=10, choices=Role)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    is_mailed = models.BooleanField(default=False, editable=False)
    created_at = models.DateTimeField(_("created"))
    expires_at = models.DateTimeField(_("expires"))

    objects: ClassVar[models.Manager[Invitation]] = InvitationQuerySet.as_manager()

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = [
            models.UniqueConstraint(fields=["space", "name"], name="invitation_once_per_name")
        ]

    def __str__(self) -> str:
        return f"{self.name} · {self.space} · {self.get_role_display()}"
