"""Pages: the list of conversations; renaming, deleting and restoring one."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect
from pydantic import TypeAdapter, ValidationError

from accounts.authentication import Access
from accounts.forms import SentText, uuid_in
from accounts.pages import PageRequest, space_page
from chat.conversations.days import beginnings, period_name
from chat.conversations.services import (
    delete_conversation,
    rename_conversation,
    restore_conversation,
)
from chat.models import Conversation
from chat.refusals import refusal
from chat.schemas import MAX_SEARCH, Title
from foundation.http.pagination import keyset

PAGE_SIZE = 50
_TITLE: TypeAdapter[str] = TypeAdapter(Title)


def listed(
    access: Access, *, q: str = "", cursor: str | None = None, period: str = ""
) -> dict[str, Any]:
    """Return a page of the conversations that contain `q`, as template context. `period` is the
    last one that the page before shows."""
    q = SentText(MAX_SEARCH).clean(q)
    rows = Conversation.objects.in_space(access.space).open_to(access.reader).saying(q)
    page, following = keyset("-updated_at").page(rows, limit=PAGE_SIZE, cursor=cursor)
    # The first page always shows "Today": a new conversation is added below it.
    shown = period or _("Today")
    periods = beginnings(page, lambda one: period_name(one.updated_at), before=shown)
    last = period_name(page[-1].updated_at) if page else shown
    return {
        "conversations": page,
        "only_shared": {one.pk for one in page if not access.reader.sees(one.user_id)},
        "next": following,
        "q": q,
        "periods": periods,
        "last_period": last,
        "is_first_page": cursor is None,
    }


@require_GET
@space_page("read")
def conversations(request: PageRequest, access: Access) -> HttpResponse:
    """Render a page of the list, for a search or for more rows."""
    cursor = request.GET.get("cursor") or None
    period = SentText(MAX_SEARCH).clean(request.GET.get("period"))
    context = listed(access, q=request.GET.get("q", ""), cursor=cursor, period=period)
    current = {"pk": _current(request)}
    return render(request, "chat/_conversations.html", context | {"current": current})


@require_http_methods(["GET", "POST"])
@space_page("write")
def title(request: PageRequest, access: Access, conversation_id: UUID) -> HttpResponse:
    """Render a conversation's list entry, with `?edit` as a field; POST renames it."""
    rows = Conversation.objects.in_space(access.space).readable_by(access.reader)
    if request.method == "POST":
        try:
            given = _TITLE.validate_python(request.POST.get("title", ""))
        except ValidationError:
            return refusal(request, _("A title needs 1 to 120 characters."))
        rename_conversation(space=access.space, conversation_id=conversation_id, title=given)
    context = {
        "conversation": get_object_or_404(rows, pk=conversation_id),
        "current": {"pk": _current(request)},
        "is_renamed": request.method == "POST",
        "is_back": True,
    }
    template = "chat/_rename.html" if "edit" in request.GET else "chat/_conversation.html"
    return render(request, template, context)


@require_POST
@space_page("write")
def delete(request: PageRequest, access: Access, conversation_id: UUID) -> HttpResponse:
    """Delete a conversation and offer to restore it."""
    delete_conversation(space=access.space, conversation_id=conversation_id, now=timezone.now())
    if conversation_id == _current(request):
        # The open conversation was deleted: a new page offers to restore it.
        address = reverse("playground", args=[access.space.slug])
        return HttpResponseClientRedirect(f"{address}?deleted={conversation_id}")
    return render(request, "chat/_deleted.html", {"deleted": conversation_id})


@require_POST
@space_page("write")
def restore(request: PageRequest, access: Access, conversation_id: UUID) -> HttpResponse:
    """Restore a deleted conversation and open it."""
    restore_conversation(space=access.space, conversation_id=conversation_id, now=timezone.now())
    address = reverse("conversation", args=[access.space.slug, conversation_id])
    return HttpResponseClientRedirect(address)


def _current(request: PageRequest) -> UUID:
    """Return the id of the conversation that the page shows, from the composer's field."""
    return uuid_in(request.POST.get("conversation") or request.GET.get("conversation"))
