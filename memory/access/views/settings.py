"""The settings page: links to the pages of a space's settings."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from memory.access.authentication import Access
from memory.access.pages import PageRequest, space_page

# (url name, icon, label, description, scope)
PAGES = (
    ("spaces", "list", _("Spaces"), _("Your spaces; what this one is called."), "read"),
    ("members", "people", _("Members"), _("Who belongs here, and what each of them may."), "read"),
    (
        "models", "chat", _("Models"),
        _("Who answers, who judges, who embeds: what is set up, and whether it works."), "admin",
    ),
    ("keys", "key", _("API keys"), _("Access for other programs, and who changed it."), "admin"),
    ("webhooks", "send", _("Webhooks"), _("Other programs are told what happens here."), "admin"),
    (
        "embeddings", "lab", _("Embeddings"), _("The model that finds memories by what they mean."),
        "read",
    ),
    (
        "transfer", "transfer", _("Transfer"), _("The whole space as a file, and back again."),
        "read",
    ),
    ("account", "identity", _("Account"), _("Your own password."), "read"),
)  # fmt: skip


@require_GET
@space_page("read")
def settings(request: PageRequest, access: Access) -> HttpResponse:
    """List the settings pages that the user may open."""
    pages = [page for page in PAGES if page[-1] in access.scopes]
    return render(request, "memory/access/settings.html", {"pages": pages})
