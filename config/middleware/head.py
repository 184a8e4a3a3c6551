"""Answers HEAD like GET without the body, for monitors that only check the status."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

_PROGRAMS = ("/api/v1/", "/v1/", "/mem0/", "/metrics")
"""Their routes know GET only. Pages are Django's views, which know HEAD."""

Handler = Callable[[HttpRequest], Any]


def head_as_get(get_response: Handler) -> Handler:
    """Answer HEAD with the status and the headers of GET (middleware)."""

    def answer(request: HttpRequest) -> Any:
        if request.method != "HEAD" or not request.path.startswith(_PROGRAMS):
            return get_response(request)
        request.method = "GET"
        response = get_response(request)
        request.method = "HEAD"
        if response.streaming:  # end the stream before it begins
            response.close()
            return HttpResponse(status=response.status_code, headers=dict(response.headers))
        return response  # the server sends no body

    return answer
