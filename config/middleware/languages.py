"""Chooses the language of an answer: the reader's for pages, English for the APIs."""

from django.conf import settings
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

_FOR_PROGRAMS = ("/api/", "/v1/", "/mem0/")


class PagesInTheirLanguage(LocaleMiddleware):
    """Django's locale middleware, except that API answers ignore the language headers."""

    def process_request(self, request: HttpRequest) -> None:
        """Choose the reader's language for pages, and English for programs."""
        if not request.path_info.startswith(_FOR_PROGRAMS):
            super().process_request(request)
            return
        translation.activate(settings.LANGUAGE_CODE)
        request.LANGUAGE_CODE = settings.LANGUAGE_CODE
