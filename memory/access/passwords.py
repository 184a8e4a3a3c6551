"""Logging in with a password: limited by account and by address, and few at a time.

A backend and not a view, so that it covers every form that asks for a password.
"""

import threading
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils import timezone

from memory.access.failures import count_failure, failures, forget_failures

MOST_PER_ACCOUNT = 10
MOST_PER_ADDRESS = 30

# Checking a password takes a third of a second of one processor. More at once would slow all
# other requests.
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
        address = request.META.get("REMOTE_ADDR", "") if request else ""
        now = timezone.now()
        if not settings.EBB_LOCAL_LOGIN or _is_limited(username, address, now):
            raise PermissionDenied
        if not _AT_ONCE.acquire(timeout=_PATIENCE):
            raise PermissionDenied
        try:
            user = super().authenticate(request, username, password, **kwargs)
        finally:
            _AT_ONCE.release()
        if user is None:
            count_failure("account", username, now=now)
            count_failure("address", address, now=now)
        else:
            forget_failures("account", username)
        return user


def _is_limited(username: str, address: str, now: datetime) -> bool:
    return (
        failures("account", username, now=now) >= MOST_PER_ACCOUNT
        or failures("address", address, now=now) >= MOST_PER_ADDRESS
    )
