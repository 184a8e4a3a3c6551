"""Installation keys: create, check and revoke. Only a secret's SHA-256 is stored."""

import secrets
from datetime import datetime, timedelta

from django.db import transaction

from accounts.audit import note_installation
from accounts.keys.services import digest
from accounts.models import AuditAction, InstallationKey
from foundation.actors import Actor
from foundation.errors import FieldError, InvalidArguments

PREFIX = "ebb_installation_"
"""The beginning of each secret, which marks a call's key as an installation key."""
_LAST_USE_GRAIN = timedelta(minutes=1)


@transaction.atomic
def create_installation_key(
    *, actor: Actor, now: datetime, name: str = "", expires_at: datetime | None = None
) -> tuple[InstallationKey, str]:
    """Create a key; return it and its secret, which is not stored and cannot be shown again.

    Raises InvalidArguments.
    """
    if len(name) > 120:
        raise InvalidArguments(FieldError("name", "must have at most 120 characters"))
    if expires_at is not None and expires_at <= now:
        raise InvalidArguments(FieldError("expires_at", "must be in the future"))
    secret = PREFIX + secrets.token_urlsafe(32)
    shown = secret.removeprefix(PREFIX)[:6]
    key = InstallationKey.objects.create(
        name=name, prefix=shown, digest=digest(secret), created_at=now, expires_at=expires_at
    )
    _note(key, AuditAction.KEY_CREATED, actor, now)
    return key, secret


def authenticate_installation(*, secret: str, now: datetime) -> InstallationKey | None:
    """Return the working key with this secret, or None; record its use at most once a minute."""
    if not secret.startswith(PREFIX):
        return None
    key = InstallationKey.objects.filter(digest=digest(secret)).first()
    if key is None or not key.works(now):
        return None
    if key.last_used_at is None or key.last_used_at < now - _LAST_USE_GRAIN:
        InstallationKey.objects.filter(pk=key.pk).update(last_used_at=now)
    return key


@transaction.atomic
def revoke_installation_key(*, key: InstallationKey, actor: Actor, now: datetime) -> None:
    """Revoke the key now; its row is kept for the record."""
    if InstallationKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now):
        _note(key, AuditAction.KEY_REVOKED, actor, now)


def _note(key: InstallationKey, action: AuditAction, actor: Actor, now: datetime) -> None:
    subject = f"{key.name} ({key.prefix}…)" if key.name else f"{key.prefix}…"
    note_installation(actor=actor, action=action, subject=subject, now=now)
