"""The second factor of accounts with a password: codes of an authenticator app (TOTP, RFC 6238),
and recovery codes for a lost phone.

Each code works once. Wrong codes are limited as wrong passwords are.
"""

import base64
import hashlib
import secrets
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor import InvalidToken
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.db import transaction

from memory.access.audit import note_installation
from memory.access.failures import attempt
from memory.actors import Actor
from memory.errors import Conflict, FieldError, InvalidArguments
from memory.models import AuditAction, SecondFactor, User
from memory.sealing import Unreadable, seal, unseal

T = TypeVar("T")

STEP = 30  # seconds for which the app shows a code
RECOVERY_CODES = 10
_SECRET_BYTES = 20
_RECOVERY_BYTES = 10


def new_secret() -> str:
    """Return a random secret in Base32, as apps accept it."""
    return base64.b32encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def setup_address(secret: str, user: User) -> str:
    """Return the otpauth: address that an app reads from the picture."""
    return _totp(secret).get_provisioning_uri(user.get_username(), "Ebb")


def turn_on(*, user: User, secret: str, code: str, address: str, now: datetime) -> list[str]:
    """Turn the second factor on and return the recovery codes.

    Raises InvalidArguments unless the app's code shows that it has the secret, Conflict if a second
    factor is on, TooManyFailures after too many wrong codes.
    """
    step = _limited(lambda: _matching_step(secret, code, now), user, address, now)
    if step is None:
        raise InvalidArguments(FieldError("code", "is wrong"))
    return _turn_on(user, secret, step, now)


@transaction.atomic
def _turn_on(user: User, secret: str, step: int, now: datetime) -> list[str]:
    codes = _new_codes()
    _, is_new = SecondFactor.objects.get_or_create(
        user=user,
        defaults={
            "sealed_secret": seal(secret),
            "last_step": step,
            "recovery_digests": _digests(codes),
            "created_at": now,
        },
    )
    if not is_new:
        raise Conflict("A second factor is already on. Turn it off first.")
    _note(user, Actor("user", user.get_username()), AuditAction.FACTOR_ON, now)
    return codes


def spend_code(*, user: User, code: str, address: str, now: datetime) -> bool:
    """Return whether this is a code of the user's app or a recovery code. It is then used up.

    Raises TooManyFailures after too many wrong codes.
    """
    return _limited(lambda: _spend(user, code, now), user, address, now)


@transaction.atomic
def renew_recovery_codes(*, user: User) -> list[str]:
    """Replace all recovery codes and return the new ones."""
    codes = _new_codes()
    SecondFactor.objects.filter(user=user).update(recovery_digests=_digests(codes))
    return codes


@transaction.atomic
def turn_off(*, user: User, actor: Actor, now: datetime) -> bool:
    """Turn the second factor off. Return whether it was on."""
    deleted, _ = SecondFactor.objects.filter(user=user).delete()
    if deleted:
        _note(user, actor, AuditAction.FACTOR_OFF, now)
    return deleted > 0


@transaction.atomic
def reseal_second_factors() -> tuple[int, list[str]]:
    """Seal all secrets with the current SECRET_KEY. Return the number of secrets sealed, and the
    names of users whose secret cannot be read."""
    unreadable, sealed = [], 0
    for factor in SecondFactor.objects.select_related("user").select_for_update(of=["self"]):
        try:
            factor.sealed_secret = seal(unseal(factor.sealed_secret))
        except Unreadable:
            unreadable.append(factor.user.get_username())
            continue
        factor.save(update_fields=["sealed_secret"])
        sealed += 1
    return sealed, unreadable


def _limited(check: Callable[[], T], user: User, address: str, now: datetime) -> T:
    # Apart from the passwords' count, which a right password sets back to 0.
    return attempt(check, kind="second-factor", account=str(user.pk), address=address, now=now)


@transaction.atomic
def _spend(user: User, code: str, now: datetime) -> bool:
    """Use a code up, if it is right. Locks the row, so that a code works once."""
    factor = SecondFactor.objects.select_for_update().filter(user=user).first()
    if factor is None:
        return False
    digest = _digest(code)
    if digest in factor.recovery_digests:
        factor.recovery_digests.remove(digest)
        factor.save(update_fields=["recovery_digests"])
        return True
    try:
        step = _matching_step(unseal(factor.sealed_secret), code, now)
    except Unreadable:
        return False  # a recovery code still works
    if step is None or step <= factor.last_step:
        return False
    factor.last_step = step
    factor.save(update_fields=["last_step"])
    return True


def _matching_step(secret: str, code: str, now: datetime) -> int | None:
    """Return the step whose code this is, or None. The steps before and after now count, because
    clocks differ."""
    current = int(now.timestamp()) // STEP
    typed = _typed(code).encode()
    for step in (current - 1, current, current + 1):
        try:
            _totp(secret).verify(typed, step * STEP)
        except InvalidToken:
            continue
        return step
    return None


def _totp(secret: str) -> TOTP:
    # SHA-1, because most apps ignore another choice; RFC 6238 uses it as a keyed hash.
    algorithm = SHA1()  # noqa: S303
    return TOTP(base64.b32decode(secret), 6, algorithm, STEP)


def _new_codes() -> list[str]:
    return [_new_code() for _ in range(RECOVERY_CODES)]


def _new_code() -> str:
    """Return 80 random bits as xxxx-xxxx-xxxx-xxxx."""
    text = base64.b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode().lower()
    return "-".join(text[start : start + 4] for start in range(0, len(text), 4))


def _digests(codes: Iterable[str]) -> list[str]:
    return [_digest(code) for code in codes]


def _digest(code: str) -> str:
    return hashlib.sha256(_typed(code).encode()).hexdigest()


def _typed(code: str) -> str:
    """Return a code without the spaces and dashes that people type or leave out."""
    return "".join(character for character in code.lower() if character.isalnum())[:40]


def _note(user: User, actor: Actor, action: AuditAction, now: datetime) -> None:
    note_installation(actor=actor, action=action, subject=user.get_username(), now=now)
