"""Pages: a turn of the playground, from the person's message."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST
from pydantic import TypeAdapter, ValidationError

from chat.choices import choices_in
from chat.models import Message
from chat.services.turns import NewConversation, begin_turn
from chat.views.refusals import refusal
from memory.access.authentication import Access
from memory.access.pages import PageRequest, space_page
from memory.drafts import Content
from memory.errors import Conflict

_CONTENT: TypeAdapter[str] = TypeAdapter(Content)


@require_POST
@space_page("write")
def say(request: PageRequest, access: Access) -> HttpResponse:
    """Store the person's message; render it with a reply that is about to stream."""
    try:
        text = _CONTENT.validate_python(request.POST.get("message", ""))
        conversation_id = UUID(given) if (given := request.POST.get("conversation", "")) else None
    except (ValidationError, ValueError):
        return refusal(request, _("The message is empty or too long."))
    try:
        message = begin_turn(
            space=access.space,
            text=text,
            now=timezone.now(),
            # Logged in: space_page checks that.
            conversation=conversation_id or NewConversation(request.user),
            **choices_in(request.POST),
        )
    except Conflict:
        return refusal(
            request, _("A reply is still being written. Send your message when it is done.")
        )
    address = reverse("conversation", args=[access.space.slug, message.conversation_id])
    if not request.htmx:
        return redirect(address)
    response = render(
        request,
        "chat/_turn.html",
        {"said": asked(message), "message": message, "is_new": conversation_id is None},
    )
    response["HX-Push-Url"] = address
    return response


def asked(reply: Message) -> Message:
    """Return the user's message that this reply answers."""
    rows = Message.objects.in_space(reply.space).of(reply.conversation).shown()
    return rows.get(position=reply.position - 1)
