"""Handles requests to /mcp before Django: checks each one and passes it to the SDK's transport.

The transport is stateless, so that any web process can answer any request, and lasts for one
request: nothing is started or stopped with the process. The SDK is imported with the first
authenticated request, because it takes half a second and 35 MB, and many installations never use
it.
"""

from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.db import InterfaceError, OperationalError
from django.http import HttpResponse
from django.utils import timezone
from ninja.errors import AuthenticationError

from accounts.authentication import Access, BearerKey, in_zone_of, space_access, user_in_header
from accounts.limits.rate_limits import CallKind, count_call
from endpoints.errors import ANSWERS, problem, problem_of
from endpoints.mcp.authorisation import challenge
from endpoints.programs import cors_headers, is_preflight, unknown_host
from foundation.database.connections import in_thread
from foundation.errors import Forbidden, InvalidArguments
from foundation.http.request_ids import HEADER, begin, current_request_id, log_end

PATHS = ("/mcp", "/mcp/")
# The headers that Django's middleware adds to every other response.
NOSNIFF = (b"x-content-type-options", b"nosniff")
NOT_STORED = (b"cache-control", b"private, no-store")

_REFUSED: tuple[type[Exception], ...] = (InvalidArguments, *ANSWERS)


class McpEndpoint:
    """Answers ASGI requests at /mcp, and passes all others to the application behind it."""

    def __init__(self, behind: Any) -> None:
        self._behind = behind

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] not in PATHS:
            await self._behind(scope, receive, send)
            return
        request = ASGIRequest(scope, BytesIO())
        started, status = begin(request), 500

        async def send_with_id(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                request_id = (HEADER.lower().encode(), current_request_id().encode())
                cors = [(k.lower().encode(), v.encode()) for k, v in cors_headers(request).items()]
                headers = [*message["headers"], request_id, *cors, NOSNIFF]
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append(NOT_STORED)
                message = {**message, "headers": headers}
            await send(message)

        try:
            await _answer(request, scope, receive, send_with_id)
        finally:
            log_end(request, status, started)


async def _answer(request: ASGIRequest, scope: Any, receive: Any, send: Any) -> None:
    refused = await in_thread(_refusal, request)
    if refused is not None:
        await _send(refused, send)
        return
    from endpoints.mcp.server import transport  # loaded by _refusal, beside the event loop

    manager = transport()
    access = request.auth  # type: ignore[attr-defined]  # set by _refusal
    state = {"access": access, "user": user_in_header(request)}
    async with manager.run():
        await manager.handle_request({**scope, "state": state}, receive, send)


def _refusal(request: ASGIRequest) -> HttpResponse | None:
    """Return the response that refuses the request, or None.

    For None, the caller's access is set on the request. A tool may still name the user.
    """
    try:
        request.get_host()
        if is_preflight(request):
            return HttpResponse(status=204)
        if request.method != "POST":
            return _not_post()
        _check_origin(request)
        access = BearerKey()(request)
        if access is None:
            raise AuthenticationError
        access = in_zone_of(request, space_access(access))
        _check_caller(request, access)
    except DisallowedHost:
        return unknown_host(request)
    except (OperationalError, InterfaceError) as error:
        return problem_of(error)
    except _REFUSED as error:
        refused = problem_of(error)
        if isinstance(error, AuthenticationError):
            refused.headers["WWW-Authenticate"] = challenge(request)
        return refused
    request.auth = access  # type: ignore[attr-defined]  # as ninja does
    import endpoints.mcp.server  # noqa: F401 - here, because it takes long

    return None


def _check_caller(request: ASGIRequest, access: Access) -> None:
    """Raise Forbidden if the caller may not act for the user in the header, and RateLimited after
    too many requests."""
    access.acting_for(user_in_header(request))
    count_call(access, CallKind.SEARCH, now=timezone.now())


def _check_origin(request: ASGIRequest) -> None:
    """Raise Forbidden for a page of an unknown site. Required by the protocol: it must not call a
    server on this machine."""
    origin = request.headers.get("Origin")
    own = origin is None or urlsplit(origin).netloc == request.get_host()
    if not own and origin not in {*settings.CSRF_TRUSTED_ORIGINS, *settings.EBB_CORS_ORIGINS}:
        raise Forbidden("Requests from this origin are not allowed.")


def _not_post() -> HttpResponse:
    """Return the response to other methods: there are no sessions to listen to or to end."""
    refused = problem(405, "method_not_allowed", "Method not allowed", "Only POST is supported.")
    refused.headers["Allow"] = "POST"
    return refused


async def _send(response: HttpResponse, send: Any) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    headers.append((b"content-length", str(len(response.content)).encode()))
    status = response.status_code
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})
