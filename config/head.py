"""HEAD is GET without its body, for monitors that only ask whether something answers."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

_PROGRAMS = ("/api/v1/", "/v1/", "/metrics")
"""Their routes know GET only. Pages are Django's views, which know HEAD."""

Handler = Callable[[HttpRequest], Any]


def head_as_get(get_response: Handler) -> Handler:
    """Middleware: answers HEAD with the status and the headers of GET."""

    def answer(request: HttpRequest) -> Any:
        if request.method != "HEAD" or not request.path.startswith(_PROGRAMS):
            return get_response(request)
        request.method = "GET"
        response = get_response(request)
        request.method = "HEAD"
        if response.streaming:  # it ends before it has begun
            response.close()
            return HttpResponse(status=response.status_code, headers=dict(response.headers))
        return response  # of which the server sends no body

    return answer
