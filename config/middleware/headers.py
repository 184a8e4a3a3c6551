"""Headers of every response from Django: pages and API responses are private and not cached."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

Handler = Callable[[HttpRequest], Any]


def private_answers(get_response: Handler) -> Handler:
    """Forbid browsers and proxies to cache a response that does not say otherwise (middleware)."""

    def answer(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return answer


def static_headers(headers: Any, path: str, url: str) -> None:
    """Add headers to a static file (ServeStatic calls this once per file)."""
    headers["X-Content-Type-Options"] = "nosniff"
