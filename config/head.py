"""HEAD is GET without its body, for monitors that only ask whether something answers."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

_PROGRAMS = ("/api/v1/", "/v1/", "/metrics")
"""Their routes know GET only. Pages are Django's views, which know HEAD."""

Handler = Callable[[HttpRequest], Any]


def head_as_get(get_response: Handler) -> Handler:
    """Middleware: answers HEAD with the status and the headers of GET."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.method != "HEAD" or not request.path.startswith(_PROGRAMS):
            response: HttpResponse = get_response(request)
            return response
        request.method = "GET"
        whole = get_response(request)
        request.method = "HEAD"
        return _without_body(whole)

    return answer


def _without_body(whole: HttpResponse) -> HttpResponse:
    """The same status and headers. A stream ends before it has begun."""
    bare = HttpResponse(status=whole.status_code, headers=dict(whole.headers))
    if not whole.streaming:
        bare.headers.setdefault("Content-Length", str(len(whole.content)))
    whole.close()
    return bare
