"""Shows times on pages outside a space in the browser's time zone, which it names in a cookie.

On pages of a space, accounts.pages decides.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from accounts.sign_in.user_zone import COOKIE
from foundation.moments import zone_called

Handler = Callable[[HttpRequest], Any]


def time_zones(get_response: Handler) -> Handler:
    """Activate the reader's time zone; the server's if the cookie is missing or wrong."""

    def answer(request: HttpRequest) -> Any:
        timezone.deactivate()
        with suppress(KeyError, ValueError):
            timezone.activate(zone_called(request.COOKIES[COOKIE]))
        return get_response(request)

    return answer
