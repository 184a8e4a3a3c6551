"""The page that adds a memory by hand."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from memory.embeddings import EmbeddingError
from memory.jobs.durations import how_long
from memory.memories.add_form import AddForm, lifetime_of
from memory.models import Memory
from memory.models.policies import current_policy
from memory.reconciliation.services import remember_drafts


@require_http_methods(["GET", "POST"])
@space_page("write")
def add(request: PageRequest, access: Access) -> HttpResponse:
    """Show the form; once submitted, the page of the memory that now says this."""
    form = AddForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            [written] = remember_drafts(
                space=access.space,
                drafts=[form.draft],
                actor=access.actor,
                now=access.here(timezone.now()),
            )
        except EmbeddingError as error:
            form.add_error(None, _("Not saved: %(why)s") % {"why": error})
        else:
            said = (
                _("Saved.")
                if written.is_new
                else _("Ebb already knew this. The memory was reinforced.")
            )
            messages.success(request, said)
            return redirect("memory", access.space.slug, written.memory.pk)
    return render(request, "memory/memories/add.html", _context(access, form))


@require_GET
@space_page("write")
def lifetime(request: PageRequest, access: Access) -> HttpResponse:
    """Render a fragment: the lifetime of a memory with the form's values."""
    sent = request.GET.dict()
    return render(request, "memory/memories/_add_lifetime.html", {"expiry": _expiry(access, sent)})


def _context(access: Access, form: AddForm) -> dict[str, Any]:
    names = ("memory_type", "importance", "pinned")
    shown = {name: form[name].value() for name in names}
    rows = Memory.objects.in_space(access.space).readable_by(access.reader)
    return {"form": form, "expiry": _expiry(access, shown), "has_users": rows.of_users().exists()}


def _expiry(access: Access, sent: dict[str, Any]) -> str:
    now = timezone.now()
    ends = lifetime_of(sent, current_policy(access.space).document.ttl.tiers, now)
    if ends is None:
        return _("It is kept forever.")
    return _("It expires in %(time)s unless it is used.") % {"time": how_long(ends - now)}
