"""Pages: the playground."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from chat.inspector import recalled_hits
from chat.models import Conversation, Message
from chat.views.choices import choice_context
from chat.views.exchanges import shown
from memory.authentication import Access
from memory.models import Space
from memory.pages import PageRequest, space_page

LISTED_CONVERSATIONS = 50
SHOWN_MESSAGES = 200


@login_required
def home(request: PageRequest) -> HttpResponse:
    """The playground of the person's first space."""
    space = Space.objects.of_member(request.user).order_by("memberships__pk").first()
    if space is None:
        return render(request, "no_space.html")
    return redirect("playground", slug=space.slug)


@require_GET
@space_page("read")
def playground(
    request: PageRequest, access: Access, conversation_id: UUID | None = None
) -> HttpResponse:
    """A conversation, or room for a new one; beside it the others and what was recalled."""
    conversations = Conversation.objects.in_space(access.space).order_by("-updated_at", "pk")
    conversation = None
    messages: list[Message] = []
    if conversation_id is not None:
        conversation = get_object_or_404(conversations, pk=conversation_id)
        rows = Message.objects.in_space(access.space).of(conversation)
        newest = rows.select_related("assessment__memory").order_by("-position")
        messages = list(newest[:SHOWN_MESSAGES])[::-1]
    context = {
        "conversation": conversation,
        "conversations": conversations[:LISTED_CONVERSATIONS],
        "chat_messages": shown(access.space, messages),
        "hits": recalled_hits(access.space, messages[-1].recalled) if messages else [],
    }
    return render(request, "chat/playground.html", context | choice_context(access.space))
