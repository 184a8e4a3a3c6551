"""Compresses pages: a list of fifty memories is 140 kB of HTML, and a tenth of that compressed.

Streams must be sent as they are written, and API answers are small, so neither is compressed. The
compressed length reveals no secret of a page: Django masks the CSRF token differently in each page
and pads the result randomly (django.middleware.gzip).
"""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class CompressedPages(GZipMiddleware):
    """Compress HTML if the client accepts it."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Compress pages only; a stream would arrive late."""
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if response.streaming or not is_page:
            return response
        return super().process_response(request, response)
