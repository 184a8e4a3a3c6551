"""The settings page: links to the pages of a space's settings."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page

# (url name, icon, label, description, scope)
PAGES = (
    ("spaces", "list", _("Spaces"), _("Your spaces, and this one's name"), "read"),
    ("members", "people", _("Members"), _("People and roles"), "read"),
    (
        "models", "chat", _("Models"),
        _("Chat, assessor and embedding models"), "read",
    ),
    ("connect", "plus", _("Connect"), _("Connect a program to this space"), "admin"),
    ("usage", "wave", _("Usage"), _("Tokens and cost of connected models"), "admin"),
    ("keys", "key", _("API keys"), _("API access for your apps"), "admin"),
    ("webhooks", "send", _("Webhooks"), _("Send events to other services"), "admin"),
    (
        "embeddings", "lab", _("Embeddings"), _("The model that finds memories by meaning"),
        "read",
    ),
    (
        "transfer", "transfer", _("Export and import"), _("Export or import this space"),
        "read",
    ),
    ("account", "identity", _("Account"), _("Your password, second factor and sessions"), "read"),
)  # fmt: skip


@require_GET
@space_page("read")
def settings(request: PageRequest, access: Access) -> HttpResponse:
    """List the settings pages that the user may open."""
    pages = [page for page in PAGES if page[-1] in access.scopes]
    return render(request, "accounts/settings.html", {"pages": pages})
