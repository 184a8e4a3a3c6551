"""Gives each request an id, for the answer's `X-Request-ID`, error messages and the log.

A caller's own id is used, so that one search finds a call in both logs.
"""

import logging
import re
import secrets
from collections.abc import Callable
from time import perf_counter
from typing import Any

from django.http import HttpRequest, HttpResponse

from foundation.log_ids import request_id
from foundation.metrics import count_request

logger = logging.getLogger("ebb.requests")

HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[\w.:-]{1,64}", re.ASCII)
_PROGRAMS = ("/api/v1/", "/v1/", "/mem0/", "/mcp")
"""Calls of other programs are logged, page views are not."""


def current_request_id() -> str:
    """Return the id of the current request; "" outside of one."""
    return request_id.get()


Handler = Callable[[HttpRequest], Any]


def request_ids(get_response: Handler) -> Handler:
    """Set the request's id, count the request and log its end (outermost middleware)."""

    def answer(request: HttpRequest) -> HttpResponse:
        started = begin(request)
        response: HttpResponse = get_response(request)
        response.headers[HEADER] = current_request_id()
        count_request(request, response.status_code, perf_counter() - started)
        if request.path.startswith(_PROGRAMS):
            log_end(request, response.status_code, started)
        return response

    return answer


def begin(request: HttpRequest) -> float:
    """Set the request's id; return its start time (perf_counter)."""
    given = request.headers.get(HEADER, "")
    request_id.set(given if _GIVEN.fullmatch(given) else secrets.token_hex(8))
    return perf_counter()


def log_end(request: HttpRequest, status: int, started: float) -> None:
    """Log one line for an API call; `request.auth` is its access, if it was accepted."""
    access = getattr(request, "auth", None)
    logger.info(
        "%s %s %d %.0f ms %s %s",
        request.method,
        request.path,
        status,
        (perf_counter() - started) * 1000,
        access.actor.name if access else "-",
        current_request_id(),
    )
