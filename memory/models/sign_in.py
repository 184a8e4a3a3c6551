"""Ways to sign in: accounts at the identity provider, second factors, and open sessions.

These tables are small and shared by all spaces.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memory.models.access import User


class Identity(models.Model):
    """A user's account at the organisation's identity provider.

    `subject` is the provider's id of the person. Names and addresses may change or be used again;
    the id never is.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=300)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="identity_once"),
            models.UniqueConstraint(fields=["issuer", "user"], name="identity_once_per_user"),
        ]

    def __str__(self) -> str:
        return f"{self.subject} · {self.issuer}"


class SecondFactor(models.Model):
    """A user's authenticator app. Without a row, the user logs in without a second factor."""

    user = models.OneToOneField(User, models.CASCADE, related_name="second_factor")
    sealed_secret = models.TextField()
    last_step = models.BigIntegerField(default=0)
    """The 30-second step of the last code that was used: an older or equal one is refused."""
    # SHA-256 of the codes that are not used yet.
    recovery_digests = ArrayField(models.CharField(max_length=64), default=list)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return str(self.user)


class LoginSession(models.Model):
    """A browser in which a user logged in, for the account page.

    Django's session with this key decides whether it is still logged in.
    """

    session_key = models.CharField(max_length=40, unique=True)
    user = models.ForeignKey(User, models.CASCADE, related_name="login_sessions")
    agent = models.CharField(max_length=300, blank=True)
    address = models.CharField(max_length=45, blank=True)
    started_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.user} · {self.address}"
