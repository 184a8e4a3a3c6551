"""Pages: why something was not done, in a sentence."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memory.access.pages import PageRequest

GONE = _("This memory was purged and can't be changed.")


def refusal(request: PageRequest, sentence: str | Promise) -> HttpResponse:
    """A toast. The page stays as it is, with what was typed."""
    response = render(request, "chat/_refusal.html", {"text": sentence})
    response["HX-Reswap"] = "none"
    return response
