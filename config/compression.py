"""Pages go compressed: a list of fifty memories is 140 kB of HTML, and a tenth of that compressed.

Only pages do. Streams have to leave as they are written, and what programs ask for is small. That a
page holds both a secret and what somebody else wrote gives nothing away by its length: Django masks
the CSRF token anew in each page, and pads the compressed page by chance (django.middleware.gzip).
"""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class CompressedPages(GZipMiddleware):
    """Compresses HTML for whoever takes it so."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if response.streaming or not is_page:
            return response
        return super().process_response(request, response)
