"""Pages: an exchange's assessment and its memory."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from chat.conversations.redaction import redact_secrets
from chat.models import Message
from chat.refusals import refusal
from foundation.errors import Conflict
from memory.models.policies import current_policy


@require_GET
@space_page("read")
def exchange(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """Render the state of an exchange's assessment and its memory.

    The page polls until the assessment is finished, and requests it with `back` after an edit.
    """
    rows = (
        Message.objects.in_space(access.space)
        .readable_by(access.reader)
        .select_related("assessment__memory")
    )
    context = {
        "message": get_object_or_404(rows, pk=message_id),
        "policy": current_policy(access.space).document,
        "live": True,
        "changed": "back" in request.GET,
    }
    return render(request, "chat/_assessment.html", context)


@require_POST
@space_page("write")
def redact(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """Redact the secrets of the message's conversation, and show it again."""
    rows = Message.objects.in_space(access.space).readable_by(access.reader)
    rows = rows.filter(conversation__deleted_at=None)
    conversation_id = get_object_or_404(rows, pk=message_id).conversation_id
    try:
        redact_secrets(
            space=access.space,
            conversation_id=conversation_id,
            actor=access.actor,
            now=timezone.now(),
        )
    except Conflict:
        return refusal(
            request, _("A reply is still being written, or the secret is already redacted.")
        )
    if not request.htmx:
        return redirect("conversation", access.space.slug, conversation_id)
    return HttpResponseClientRefresh()
