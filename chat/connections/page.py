"""The page of the models and their connections, with buttons that test them."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts import roles
from accounts.authentication import Access
from accounts.models import InstallationAuditEntry
from accounts.pages import PageRequest, space_page
from assessor.statistics.connection_figures import connection_figures
from chat.connections.providers import parts
from chat.connections.trials import try_part
from foundation.database.connections import release_connection
from memory.model_connections.choosing import environment_decides
from memory.model_connections.presets import PRESETS
from memory.models import ANSWERING, ModelConnection, Purpose

MOVE = "move"
"""The purpose, on the page, of moving the space's embeddings to a model."""
CHANGES = 20
"""The number of changes to the installation on the page."""


@require_GET
@space_page("read")
def providers(request: PageRequest, access: Access) -> HttpResponse:
    """Render the models and connections without calling them."""
    return models_page(request, access)


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
    return models_page(request, access, tried=name, trial=trial)


def models_page(
    request: PageRequest, access: Access, *, status: int = 200, **more: Any
) -> HttpResponse:
    """Render the whole page. `more` is the result of an action, such as a trial or an error."""
    context = {"parts": parts(access.space), "connections": ModelConnection.objects.all()}
    if roles.may_operate(request.user):
        context["changes"] = InstallationAuditEntry.objects.order_by("-at", "-pk")[:CHANGES]
    context |= connection_context(request, access) | more
    return render(request, "chat/models.html", context, status=status)


def connection_context(request: PageRequest, access: Access) -> dict[str, Any]:
    """Return the context of a connection's card: permissions, presets and purposes."""
    operator = roles.may_operate(request.user)
    purposes: list[tuple[str, Any]] = [(one.value, one.label) for one in ANSWERING]
    purposes.append((MOVE, _("Embeddings of this space")))
    if operator:
        purposes.append((Purpose.EMBED.value, Purpose.EMBED.label))
    return {
        "is_operator": operator,
        "figures": connection_figures(space=None if operator else access.space, now=timezone.now()),
        "may_choose": "admin" in access.scopes or operator,
        "environment_decides": environment_decides(),
        "presets": PRESETS.values(),
        "purposes": purposes,
    }
