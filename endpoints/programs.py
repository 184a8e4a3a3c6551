"""Middleware for calls of other programs: CORS, trailing slashes, and errors of the Host header."""

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.cache import patch_vary_headers

from endpoints.completions import errors as openai_errors
from endpoints.errors import API, MEM0_API, OPENAI_API, problem

PREFIXES = (API, OPENAI_API, MEM0_API, "/mcp", "/.well-known/")
_METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
_EXPOSED = "X-Request-ID, X-Ebb-Conversation, Retry-After, WWW-Authenticate, Mcp-Session-Id"
_ONE_DAY = "86400"  # seconds for which browsers need not ask again

Handler = Callable[[HttpRequest], Any]


def program_requests(get_response: Handler) -> Handler:
    """Allow calls from pages of the sites in EBB_CORS_ORIGINS, ignore a trailing slash, and name
    the setting for an unknown Host (middleware).
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        try:
            request.get_host()
        except DisallowedHost:
            return unknown_host(request)
        if not request.path.startswith(PREFIXES):
            response: HttpResponseBase = get_response(request)
            return response
        if is_preflight(request):
            response = HttpResponse(status=204)
        else:
            _drop_slash(request)
            response = get_response(request)
        for name, value in cors_headers(request).items():
            response.headers[name] = value
        if settings.EBB_CORS_ORIGINS:
            patch_vary_headers(response, ["Origin"])
        return response

    return answer


def unknown_host(request: HttpRequest) -> HttpResponse:
    """Return the error for a Host that is not allowed: JSON for programs, text for people."""
    host = request.META.get("HTTP_HOST", "")
    said = f"Ebb does not answer for the host {host!r}. Add it to EBB_ALLOWED_HOSTS and restart."
    if request.path.startswith(OPENAI_API):
        return openai_errors.of_status(400, said, code="unknown_host").response()
    if request.path.startswith(MEM0_API):
        return JsonResponse({"detail": said}, status=400)
    if request.path.startswith(PREFIXES):
        return problem(400, "bad_request", "Unknown host", said)
    return HttpResponse(said, status=400, content_type="text/plain; charset=utf-8")


def is_preflight(request: HttpRequest) -> bool:
    """Return whether a browser asks for permission before the request of an allowed origin."""
    asks = "Access-Control-Request-Method" in request.headers
    return request.method == "OPTIONS" and asks and bool(cors_headers(request))


def cors_headers(request: HttpRequest) -> Mapping[str, str]:
    """Return the headers for an origin of EBB_CORS_ORIGINS; none for others.

    Cookies are never allowed, only keys.
    """
    origin = request.headers.get("Origin")
    if origin not in settings.EBB_CORS_ORIGINS:
        return {}
    wanted = request.headers.get("Access-Control-Request-Headers", "")
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": _METHODS,
        "Access-Control-Allow-Headers": wanted or "Authorization, Content-Type",
        "Access-Control-Expose-Headers": _EXPOSED,
        "Access-Control-Max-Age": _ONE_DAY,
    }


def _drop_slash(request: HttpRequest) -> None:
    """Let `/api/v1/memories/` mean `/api/v1/memories`."""
    if request.path.endswith("/") and request.path not in PREFIXES:
        request.path = request.path.rstrip("/")
        request.path_info = request.path_info.rstrip("/")
