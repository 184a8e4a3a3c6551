"""Keys of other programs: made, checked, revoked. Only a key's SHA-256 is stored."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Q

from memory.models import ApiKey, Scope, Space
from memory.querysets.keys import live_key

_LAST_USE_GRAIN = timedelta(minutes=1)


def digest(secret: str) -> str:
    """SHA-256 is enough: a key is 256 random bits, not a password somebody chose."""
    return hashlib.sha256(secret.encode()).hexdigest()


def create_key(*, space: Space, scopes: Sequence[str], name: str = "") -> tuple[ApiKey, str]:
    """A new key and its secret, which is not kept and cannot be shown again.

    Raises ValueError for an unknown scope.
    """
    secret = f"ebb_{secrets.token_urlsafe(32)}"
    key = ApiKey.objects.create(
        space=space,
        name=name,
        prefix=secret[:12],
        digest=digest(secret),
        scopes=[Scope(scope).value for scope in scopes],
    )
    return key, secret


def authenticate(*, secret: str, now: datetime) -> ApiKey | None:
    """The live key with this secret, its use noted at most once a minute; None if there is none."""
    key = live_key(digest(secret))
    if key is None:
        return None
    long_ago = now - _LAST_USE_GRAIN
    # Asked of the row that is here, so that most calls write nothing, and again of the table, so
    # that of many at once only one does.
    if key.last_used_at is None or key.last_used_at < long_ago:
        stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=long_ago)
        ApiKey.objects.filter(stale, pk=key.pk).update(last_used_at=now)
    return key


def revoke_key(*, key: ApiKey, now: datetime) -> None:
    """The key stops working now; its row stays for the record."""
    ApiKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=now)
