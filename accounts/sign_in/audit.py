"""Entries of the installation's log about second factors and connected accounts, from allauth's
signals.
"""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added, authenticator_removed
from allauth.socialaccount.signals import social_account_added
from django.dispatch import receiver
from django.utils import timezone

from accounts.audit import note_installation
from accounts.models import AuditAction, User
from accounts.sign_in.identities import note_person
from foundation.actors import Actor


@receiver(authenticator_added)
def _factor_added(user: User, authenticator: Authenticator, **more: Any) -> None:
    if authenticator.type == Authenticator.Type.TOTP:
        note_factor(AuditAction.FACTOR_ON, user, actor=_self(user))


@receiver(authenticator_removed)
def _factor_removed(user: User, authenticator: Authenticator, **more: Any) -> None:
    if authenticator.type == Authenticator.Type.TOTP:
        note_factor(AuditAction.FACTOR_OFF, user, actor=_self(user))


@receiver(social_account_added)
def _connected(sociallogin: Any, **more: Any) -> None:
    note_person(AuditAction.ACCOUNT_CONNECTED, sociallogin, actor=_self(sociallogin.user))


def note_factor(action: AuditAction, user: User, *, actor: Actor) -> None:
    """Append an entry about a user's second factor."""
    note_installation(actor=actor, action=action, subject=user.get_username(), now=timezone.now())


def _self(user: User) -> Actor:
    return Actor("user", user.get_username())
