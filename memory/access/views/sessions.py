"""The list of sessions on the account page: show them, log one out, log all others out."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from memory.access import sessions as services
from memory.access.authentication import Access
from memory.access.devices import device
from memory.access.pages import PageRequest, space_page

LISTED = 50


@dataclass(frozen=True)
class ListedSession:
    """A row of the list. `device` is a short name of the browser, "" if unknown."""

    pk: int
    device: str
    address: str
    started_at: datetime
    seen_at: datetime
    is_current: bool


def listed_sessions(request: PageRequest) -> list[ListedSession]:
    """Return the latest sessions of the user."""
    found = services.open_sessions(request.user, now=timezone.now())[:LISTED]
    return [
        ListedSession(
            pk=one.pk,
            device=device(one.agent),
            address=one.address,
            started_at=one.started_at,
            seen_at=one.seen_at,
            is_current=one.session_key == request.session.session_key,
        )
        for one in found
    ]


@require_POST
@space_page("read")
def end(request: PageRequest, access: Access, session_id: int) -> HttpResponse:
    """Log another browser of the user out."""
    keep = request.session.session_key
    services.end_session(user=request.user, session_id=session_id, keep=keep)
    messages.success(request, _("Session logged out."))
    return redirect("account", access.space.slug)


@require_POST
@space_page("read")
def end_others(request: PageRequest, access: Access) -> HttpResponse:
    """Log the user out of all browsers except this one."""
    services.end_other_sessions(user=request.user, keep=request.session.session_key)
    messages.success(request, _("All other sessions logged out."))
    return redirect("account", access.space.slug)
