"""Pages: a turn of the playground, from the person's message."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST
from pydantic import TypeAdapter, ValidationError

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from chat.choices import choices_in
from chat.models import Message
from chat.playground.page import days_above
from chat.playground.persons import FOREIGN, is_foreign, new_conversation
from chat.refusals import refusal
from chat.replies.turns import begin_turn
from foundation.errors import Conflict
from memory.drafts import Content

BUSY = gettext_lazy("A reply is still being written. Send your message when it is done.")
_CONTENT: TypeAdapter[str] = TypeAdapter(Content)


@require_POST
@space_page("write")
def say(request: PageRequest, access: Access) -> HttpResponse:
    """Store the person's message; render it with a reply that is about to stream."""
    try:
        text = _CONTENT.validate_python(request.POST.get("message", ""))
        conversation_id = UUID(given) if (given := request.POST.get("conversation", "")) else None
    except (ValidationError, ValueError):
        return refusal(request, _("Write 1 to 20,000 characters."))
    if is_foreign(request, access, conversation_id):
        return refusal(request, FOREIGN)
    try:
        message = begin_turn(
            space=access.space,
            text=text,
            now=access.here(timezone.now()),
            conversation=conversation_id or new_conversation(request),
            said_by=access.person,
            **choices_in(request.POST),
        )
    except Conflict:
        return refusal(request, BUSY)
    address = reverse("conversation", args=[access.space.slug, message.conversation_id])
    if not request.htmx:
        return redirect(address)
    context = {"message": message, "is_new": conversation_id is None}
    response = render(request, "chat/_turn.html", context | _said(message))
    if context["is_new"]:  # else each message would be a step of the Back button
        response["HX-Push-Url"] = address
    return response


def _said(reply: Message) -> dict[str, Any]:
    """Return the user's message that this reply answers, and the day to show above it."""
    rows = Message.objects.in_space(reply.space).of(reply.conversation).shown()
    said, *before = rows.filter(position__lt=reply.position).reverse()[:2]
    return {"said": said, "days": days_above([said], after=next(iter(before), None))}
