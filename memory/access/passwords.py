"""Checks passwords: limited by account and address, one after the other."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.hashers import check_password
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils import timezone

from memory.access.failures import address_of, attempt
from memory.access.password_hashers import hashing_turn
from memory.errors import RateLimited
from memory.models import User

T = TypeVar("T")


class LimitedPasswords(ModelBackend):
    """Checks a password unless its account or address had too many failures lately, or unless
    users log in at the organisation's identity provider only.

    A refusal looks like a wrong password. A login link still works meanwhile.
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return the user with this name and password, or None. Raises PermissionDenied when
        limited, which keeps other backends from trying."""
        if username is None or password is None:
            return None
        if not settings.EBB_LOCAL_LOGIN:
            raise PermissionDenied
        check = super().authenticate
        try:
            return _limited(lambda: check(request, username, password, **kwargs), username, request)
        except RateLimited:
            raise PermissionDenied from None


def is_password_of(user: User, password: str, *, request: HttpRequest) -> bool:
    """Return whether this is the password of the logged-in user.

    Raises TooManyFailures, or RateLimited if too many passwords are being checked.
    """
    # `user.check_password` may hash the password again, which would end the user's sessions.
    return _limited(lambda: check_password(password, user.password), user.get_username(), request)


def _limited(check: Callable[[], T], name: str, request: HttpRequest | None) -> T:
    # Counted after the wait: people who log in at the same moment are not failures.
    with hashing_turn():
        return attempt(
            check, kind="account", account=name, address=address_of(request), now=timezone.now()
        )
