"""API keys: create, check, change and revoke. Only a secret's SHA-256 is stored."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import DateTimeField, F, Func, Q, Value
from django.db.models.functions import Greatest

from accounts.audit import note
from accounts.keys.live_key import live_key
from accounts.models import ApiKey, AuditAction, Scope, Space
from foundation.actors import Actor
from foundation.errors import Conflict, FieldError, InvalidArguments, NotFound, RateLimited
from foundation.texts.names import NO_CONTROL, checked_user, has_control_characters

MAX_RATE_LIMIT = 100_000  # requests a minute
LONGEST_GRACE = timedelta(days=7)
_LAST_USE_GRAIN = timedelta(minutes=1)
_MINUTE = timedelta(minutes=1)
# Left out of the activity log.
_USUAL = (("user_id", None), ("learns", True))


def digest(secret: str) -> str:
    """Return the secret's SHA-256: enough for 256 random bits, unlike for a password."""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def create_key(
    *,
    space: Space,
    scopes: Sequence[str],
    actor: Actor,
    now: datetime,
    name: str = "",
    expires_at: datetime | None = None,
    rate_limit: int | None = None,
    user_id: str | None = None,
    learns: bool = True,
) -> tuple[ApiKey, str]:
    """Create a key; return it and its secret, which is not stored and cannot be shown again.

    Without `learns`, its requests teach nothing. Raises InvalidArguments.
    """
    values = {
        "name": name, "scopes": [scope for scope in Scope.values if scope in scopes],
        "expires_at": expires_at, "rate_limit": rate_limit, "user_id": user_id, "learns": learns,
    }  # fmt: skip
    _check(values, now, unknown=sorted(set(scopes) - set(Scope.values)))
    secret = _new_secret()
    key = ApiKey.objects.create(
        space=space, prefix=secret[:12], digest=digest(secret), created_at=now, **values
    )
    noted = {field: value for field, value in values.items() if (field, value) not in _USUAL}
    _note(key, AuditAction.KEY_CREATED, actor, now, noted)
    return key, secret


def authenticate(*, secret: str, now: datetime) -> ApiKey | None:
    """Return the live key with this secret, or None; record its use at most once a minute.

    Raises RateLimited.
    """
    key = live_key(digest(secret), now)
    if key is None:
        return None
    if key.rate_limit is not None:
        _spend(key, key.rate_limit, now)
    long_ago = now - _LAST_USE_GRAIN
    # Checked on the loaded row, so that most calls write nothing, and again in the UPDATE, so
    # that only one of many concurrent calls writes.
    if key.last_used_at is None or key.last_used_at < long_ago:
        stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=long_ago)
        ApiKey.objects.filter(stale, pk=key.pk).update(last_used_at=now)
    return key


def _spend(key: ApiKey, rate_limit: int, now: datetime) -> None:
    """Count one request against the key's rate limit; raises RateLimited. A single UPDATE decides,
    so processes need no coordination.
    """
    step = _MINUTE / rate_limit
    rows = ApiKey.objects.filter(pk=key.pk)
    affordable = Q(spent_until__isnull=True) | Q(spent_until__lte=now + _MINUTE - step)
    # Greatest skips NULL. In UTC, the sum is immutable: Citus updates a column by no other.
    paid_off = Func(
        Greatest(F("spent_until"), Value(now)), Value(step),
        template="((%(expressions)s) AT TIME ZONE 'UTC')", arg_joiner=" AT TIME ZONE 'UTC' + ",
        output_field=DateTimeField(),
    )  # fmt: skip
    if rows.filter(affordable).update(spent_until=paid_off):
        return
    spent_until = rows.values_list("spent_until", flat=True).get() or now
    wait = (spent_until + step - _MINUTE - now).total_seconds()
    raise RateLimited(
        f"Rate limit of {rate_limit} requests per minute exceeded.", retry_after=max(wait, 0.0)
    )


@transaction.atomic
def change_key(
    *, space: Space, key_id: UUID, changes: dict[str, Any], actor: Actor, now: datetime
) -> ApiKey:
    """Change the `name`, `expires_at`, `rate_limit` or `learns` given in `changes`.

    Raises NotFound, InvalidArguments, and Conflict for a revoked key.
    """
    key = _locked(space, key_id)
    if key.revoked_at is not None:
        raise Conflict("The key is revoked. Create a new one.")
    changes = {field: value for field, value in changes.items() if getattr(key, field) != value}
    _check(changes, now)
    for field, value in changes.items():
        setattr(key, field, value)
    if changes:
        key.save(update_fields=list(changes))
        _note(key, AuditAction.KEY_CHANGED, actor, now, changes)
    return key


@transaction.atomic
def rotate_key(
    *, space: Space, key_id: UUID, grace: timedelta, actor: Actor, now: datetime
) -> tuple[ApiKey, str]:
    """Give the key a new secret. The old secret works for `grace` more; any earlier secret stops
    working.

    Raises NotFound, InvalidArguments, and Conflict for an expired or revoked key.
    """
    key = _locked(space, key_id)
    if key.state(now) != "live":
        raise Conflict("The key has expired or is revoked. Create a new one.")
    if not timedelta() <= grace <= LONGEST_GRACE:
        raise InvalidArguments(FieldError("grace_hours", "must be between 0 and 168"))
    secret = _new_secret()
    key.previous_digest = key.digest if grace else None
    key.previous_until = now + grace if grace else None
    key.digest, key.prefix = digest(secret), secret[:12]
    key.save(update_fields=["digest", "prefix", "previous_digest", "previous_until"])
    _note(key, AuditAction.KEY_ROTATED, actor, now, {"previous_until": key.previous_until})
    return key, secret


@transaction.atomic
def revoke_key(*, key: ApiKey, actor: Actor, now: datetime) -> None:
    """Revoke the key now, with its previous secret; its row is kept for the record."""
    if ApiKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=now):
        _note(key, AuditAction.KEY_REVOKED, actor, now, {})


def _new_secret() -> str:
    return f"ebb_{secrets.token_urlsafe(32)}"


def _locked(space: Space, key_id: UUID) -> ApiKey:
    key = ApiKey.objects.in_space(space).filter(public_id=key_id).select_for_update().first()
    if key is None:
        raise NotFound("API key not found.")
    return key


def _check(values: dict[str, Any], now: datetime, unknown: Sequence[str] = ()) -> None:
    errors = []
    if unknown or not values.get("scopes", True):
        known = ", ".join(Scope.values)
        errors.append(FieldError("scopes", f"must be one or more of {known}"))
    if len(values.get("name", "")) > 120:
        errors.append(FieldError("name", "must have at most 120 characters"))
    if has_control_characters(values.get("name", "")):
        errors.append(FieldError("name", NO_CONTROL))
    expires_at, rate_limit = values.get("expires_at"), values.get("rate_limit")
    if expires_at is not None and expires_at <= now:
        errors.append(FieldError("expires_at", "must be in the future"))
    if rate_limit is not None and not 1 <= rate_limit <= MAX_RATE_LIMIT:
        errors.append(FieldError("rate_limit", f"must be between 1 and {MAX_RATE_LIMIT}"))
    errors += _errors_of_user(values)
    if errors:
        raise InvalidArguments(*errors)


def _errors_of_user(values: dict[str, Any]) -> list[FieldError]:
    """Return the errors of a key that is bound to a user. Such a key cannot administer the space,
    because an administrator sees every user's memories."""
    if (user_id := values.get("user_id")) is None:
        return []
    try:
        checked_user(user_id)
    except ValueError as error:
        return [FieldError("user_id", str(error))]
    if Scope.ADMIN in values["scopes"]:
        return [FieldError("user_id", "a key of one user cannot have the scope admin")]
    return []


def _note(
    key: ApiKey, action: AuditAction, actor: Actor, now: datetime, detail: dict[str, Any]
) -> None:
    told = {
        field: value.isoformat() if isinstance(value, datetime) else value
        for field, value in detail.items()
    }
    subject = f"{key.name} ({key.prefix}…)" if key.name else f"{key.prefix}…"
    note(space=key.space, actor=actor, action=action, subject=subject, now=now, detail=told)
