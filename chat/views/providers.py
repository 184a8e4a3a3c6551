"""The page of the configured models, with a button that tests each one."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from chat.providers import parts
from chat.trials import try_part
from memory.access.authentication import Access
from memory.access.pages import PageRequest, space_page
from memory.connections import release_connection


@require_GET
@space_page("admin")
def providers(request: PageRequest, access: Access) -> HttpResponse:
    """Render the models without calling them."""
    return render(request, "chat/models.html", {"parts": parts(access.space)})


@require_POST
@space_page("admin")
def try_provider(request: PageRequest, access: Access, name: str) -> HttpResponse:
    """Test this part's model; htmx renders only that part again."""
    found = parts(access.space)
    part = next((part for part in found if part.name == name and part.can_be_tried), None)
    if part is None:
        raise Http404
    release_connection()
    trial = try_part(part)
    if request.htmx:
        return render(request, "chat/_part.html", {"part": part, "trial": trial})
    return render(request, "chat/models.html", {"parts": found, "tried": name, "trial": trial})
