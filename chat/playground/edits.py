"""Pages: editing a message, undoing an edit, and regenerating a reply."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect
from pydantic import TypeAdapter, ValidationError

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from chat.models import Conversation, Message
from chat.playground.page import days_above, messages_of
from chat.playground.persons import FOREIGN, may_continue
from chat.refusals import refusal
from chat.replies.edits import edit_message, undo_edit
from chat.replies.turns import answer_again
from foundation.errors import Conflict
from memory.drafts import Content
from memory.models.policies import current_policy

_CONTENT: TypeAdapter[str] = TypeAdapter(Content)


def _said(access: Access, message_id: UUID) -> Message:
    rows = Message.objects.in_space(access.space).readable_by(access.reader).shown()
    rows = rows.select_related("conversation")
    return get_object_or_404(rows, pk=message_id, role=Message.Role.USER)


@require_http_methods(["GET", "POST"])
@space_page("write")
def message(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """Render the user's message, with `?edit` its edit field; POST edits it."""
    said = _said(access, message_id)
    if request.method == "GET":
        template = "chat/_edit.html" if "edit" in request.GET else "chat/_said.html"
        return render(request, template, {"message": said})
    if not may_continue(request, said.conversation):
        return refusal(request, FOREIGN)
    try:
        text = _CONTENT.validate_python(request.POST.get("message", ""))
    except ValidationError:
        return refusal(request, _("Write 1 to 20,000 characters."))
    try:
        reply = edit_message(
            space=access.space,
            message_id=message_id,
            text=text,
            actor=access.actor,
            now=access.here(timezone.now()),
            said_by=access.person,
        )
    except Conflict:
        return refusal(request, _("A reply is still being written. Stop it first, then edit."))
    return _edited(request, access, said, reply.conversation)


def _edited(
    request: PageRequest, access: Access, said: Message, conversation: Conversation
) -> HttpResponse:
    """Render the conversation after the edit, with an undo."""
    messages = messages_of(access, conversation)
    context = {
        "chat_messages": messages,
        "days": days_above(messages),
        "policy": current_policy(access.space).document,
        "conversation": conversation,
        "edited": said,
    }
    return render(request, "chat/_edited.html", context)


@require_POST
@space_page("write")
def restore(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """Undo an edit and show the conversation as before."""
    try:
        conversation = undo_edit(
            space=access.space,
            message_id=message_id,
            actor=access.actor,
            now=access.here(timezone.now()),
        )
    except Conflict:
        return refusal(
            request, _("This message was edited again. Only the latest edit can be undone.")
        )
    address = reverse("conversation", args=[access.space.slug, conversation.pk])
    return HttpResponseClientRedirect(address)


@require_POST
@space_page("write")
def again(request: PageRequest, access: Access, conversation_id: UUID) -> HttpResponse:
    """Regenerate the last reply: render an empty reply in the place of the old one."""
    try:
        reply = answer_again(
            space=access.space,
            conversation_id=conversation_id,
            now=access.here(timezone.now()),
            said_by=access.person,
        )
    except Conflict:
        return refusal(request, _("A reply is still being written."))
    if not request.htmx:
        return redirect("conversation", access.space.slug, conversation_id)
    return render(request, "chat/_streaming.html", {"message": reply})
