"""Pages: messages that explain why an action was refused."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.pages import PageRequest

GONE = _("This memory was purged and can't be changed.")


def refusal(request: PageRequest, sentence: str | Promise) -> HttpResponse:
    """Return a toast. The page stays unchanged, with the typed text."""
    response = render(request, "chat/_refusal.html", {"text": sentence})
    response["HX-Reswap"] = "none"
    return response
