"""Pages go compressed: a list of fifty memories is 140 kB of HTML, and a tenth of that compressed.

Only pages do. Streams have to leave as they are written, and what programs ask for is small. That a
page holds both a secret and what somebody else wrote gives nothing away by its length: Django masks
the CSRF token anew in each page, and pads the compressed page by chance (django.middleware.gzip).
"""

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.decorators import sync_and_async_middleware

SMALLEST = 2000  # bytes: less is one packet anyway

Handler = Callable[[HttpRequest], Any]


@sync_and_async_middleware
def compressed_pages(get_response: Handler) -> Handler:
    """Middleware: compresses HTML for whoever takes it so."""
    gzip = GZipMiddleware(get_response)
    if iscoroutinefunction(get_response):

        async def answer_async(request: HttpRequest) -> HttpResponseBase:
            response: HttpResponse = await get_response(request)
            if not _is_large_page(response):
                return response
            # Some milliseconds, in which the event loop can do something else.
            return await sync_to_async(gzip.process_response, thread_sensitive=False)(
                request, response
            )

        return answer_async

    def answer(request: HttpRequest) -> HttpResponseBase:
        response: HttpResponse = get_response(request)
        return gzip.process_response(request, response) if _is_large_page(response) else response

    return answer


def _is_large_page(response: HttpResponse) -> bool:
    is_page = response.headers.get("Content-Type", "").startswith("text/html")
    return is_page and not response.streaming and len(response.content) >= SMALLEST
