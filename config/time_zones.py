"""Shows times on pages in the reader's time zone, which the browser names in a cookie."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest
from django.utils import timezone

COOKIE = "ebb_time_zone"
"""Set by static/ebb/ebb.js."""

Handler = Callable[[HttpRequest], Any]


def time_zones(get_response: Handler) -> Handler:
    """Activate the reader's time zone; the server's if the cookie is missing or wrong."""

    def answer(request: HttpRequest) -> Any:
        timezone.deactivate()
        # ZoneInfo raises KeyError for an unknown name, ValueError or OSError for one like a path.
        with suppress(KeyError, ValueError, OSError):
            timezone.activate(ZoneInfo(request.COOKIES[COOKIE]))
        return get_response(request)

    return answer
