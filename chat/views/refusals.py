"""Pages: why something was not done, in a sentence."""

from django.http import HttpResponse
from django.shortcuts import render

from memory.pages import PageRequest


def refusal(request: PageRequest, sentence: str) -> HttpResponse:
    """A toast. The page stays as it is, with what was typed."""
    response = render(request, "chat/_refusal.html", {"text": sentence})
    response["HX-Reswap"] = "none"
    return response
