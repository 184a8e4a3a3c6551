"""Second factors of users, and the confirmation before a change."""

from typing import NamedTuple

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from accounts.models import User
from tests.conftest import Answer


class Factor(NamedTuple):
    """A second factor that is on: the app's secret, and the recovery codes."""

    secret: str
    codes: list[str]


def turn_on(user: User) -> Factor:
    """Turns the second factor of a user on."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    return Factor(secret, RecoveryCodes.activate(user).generate_codes())


def confirm(client: Client, *, password: str = "", code: str = "", then: str = "/") -> Answer:
    """Confirms who the user is, before a change."""
    if code:
        return client.post(f"/account/confirm/code/?next={then}", {"code": code})
    return client.post(f"/account/confirm/?next={then}", {"password": password})
