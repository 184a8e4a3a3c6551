"""Pages: what an exchange taught, as its assessment lands."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from chat.models import Message
from memory.access.authentication import Access
from memory.access.pages import PageRequest, space_page
from memory.models.policies import current_policy


@require_GET
@space_page("read")
def exchange(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """How far the assessment of an exchange is, and what it taught; asked until it is finished,
    and by who comes `back` from editing."""
    rows = Message.objects.in_space(access.space).select_related("assessment__memory")
    context = {
        "message": get_object_or_404(rows, pk=message_id),
        "policy": current_policy(access.space).document,
        "live": True,
        "changed": "back" in request.GET,
    }
    return render(request, "chat/_assessment.html", context)
