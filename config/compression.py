"""Pages go compressed: a list of fifty memories is 140 kB of HTML, and a tenth of that compressed.

Only pages do. Streams have to leave as they are written, and what programs ask for is small. That a
page holds both a secret and what somebody else wrote gives nothing away by its length: Django masks
the CSRF token anew in each page, and pads the compressed page by chance (django.middleware.gzip).
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

SMALLEST = 2000  # bytes: less is one packet anyway

Handler = Callable[[HttpRequest], Any]


def compressed_pages(get_response: Handler) -> Handler:
    """Middleware: compresses HTML for whoever takes it so."""
    gzip = GZipMiddleware(get_response)

    def answer(request: HttpRequest) -> HttpResponseBase:
        response: HttpResponse = get_response(request)
        return gzip.process_response(request, response) if _is_large_page(response) else response

    return answer


def _is_large_page(response: HttpResponse) -> bool:
    is_page = response.headers.get("Content-Type", "").startswith("text/html")
    return is_page and not response.streaming and len(response.content) >= SMALLEST
