"""Each request has an id: answers carry it as `X-Request-ID`, errors quote it, the log names it.

A caller's own id is taken over, so that one search finds a call in both logs.
"""

import logging
import re
import secrets
from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Any

from django.http import HttpRequest, HttpResponse

from config.metrics import count_request

logger = logging.getLogger("ebb.requests")

HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[\w.:-]{1,64}", re.ASCII)
_PROGRAMS = ("/api/v1/", "/v1/", "/mcp")
"""Calls of other programs are logged; who looks at pages is not."""

_current: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    """The id of the request that is being answered; "" outside of one."""
    return _current.get()


Handler = Callable[[HttpRequest], Any]


def request_ids(get_response: Handler) -> Handler:
    """Middleware, outermost: gives the id, counts and logs how the request ended."""

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
    """Gives the request its id; the moment (perf_counter) from which its time is counted."""
    given = request.headers.get(HEADER, "")
    _current.set(given if _GIVEN.fullmatch(given) else secrets.token_hex(8))
    return perf_counter()


def log_end(request: HttpRequest, status: int, started: float) -> None:
    """One line for a call of another program; `request.auth` is its access, if it was let in."""
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
