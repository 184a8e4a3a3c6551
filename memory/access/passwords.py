"""Checks passwords at login: limited by account, by address, and by the number of simultaneous
checks.

A backend instead of a view, so that it covers every form that asks for a password.
"""

import threading
from ipaddress import IPv6Address, IPv6Network
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils import timezone

from memory.access.failures import count_failure, failures, forget_failures
from memory.connections import release_connection

MOST_PER_ACCOUNT = 10
MOST_PER_ADDRESS = 30

# Checking a password takes 100 MB and both processors for a tenth of a second. More at once would
# slow all other requests.
_AT_ONCE = threading.BoundedSemaphore(2)
_PATIENCE = 10.0  # seconds


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
        release_connection()  # those who wait would keep all connections from other requests
        if not _AT_ONCE.acquire(timeout=_PATIENCE):
            raise PermissionDenied
        try:
            address = _network(request.META.get("REMOTE_ADDR", "") if request else "")
            # Asked after the wait: attempts that came together count each other's failures.
            _refuse_limited(username, address)
            user = super().authenticate(request, username, password, **kwargs)
            _count(username, address, failed=user is None)
        finally:
            _AT_ONCE.release()
        return user


def _network(address: str) -> str:
    """Return the /64 of an IPv6 address, since one customer has all its addresses."""
    try:
        parsed = IPv6Address(address)
    except ValueError:
        return address
    return str(parsed.ipv4_mapped or IPv6Network((int(parsed), 64), strict=False))


def _refuse_limited(username: str, address: str) -> None:
    now = timezone.now()
    if (
        failures("account", username, now=now) >= MOST_PER_ACCOUNT
        or failures("address", address, now=now) >= MOST_PER_ADDRESS
    ):
        raise PermissionDenied


def _count(username: str, address: str, *, failed: bool) -> None:
    if not failed:
        forget_failures("account", username)
        return
    now = timezone.now()
    count_failure("account", username, now=now)
    count_failure("address", address, now=now)
