"""Pages: an exchange's assessment and its memory."""

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
    """Render the state of an exchange's assessment and its memory.

    The page polls until the assessment is finished, and requests it with `back` after an edit.
    """
    rows = Message.objects.in_space(access.space).select_related("assessment__memory")
    context = {
        "message": get_object_or_404(rows, pk=message_id),
        "policy": current_policy(access.space).document,
        "live": True,
        "changed": "back" in request.GET,
    }
    return render(request, "chat/_assessment.html", context)
