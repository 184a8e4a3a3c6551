"""Pages: the switch that shares a conversation with the space, and its page for other members."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from chat.conversations.sharing import share_conversation
from chat.models import Conversation
from chat.playground.page import days_above, messages_of


@require_POST
@space_page("write")
def share(request: PageRequest, access: Access, conversation_id: UUID) -> HttpResponse:
    """Share the member's own conversation or stop sharing it; return its menu."""
    conversation = share_conversation(
        space=access.space,
        conversation_id=conversation_id,
        owner=access.actor.name,
        shared="shared" in request.POST,
        actor=access.actor,
        now=timezone.now(),
    )
    return render(request, "chat/_shared.html", {"conversation": conversation})


@require_GET
@space_page("read")
def shared(request: PageRequest, access: Access, conversation_id: UUID) -> HttpResponse:
    """Render the messages of a shared conversation, without the memories behind its replies."""
    rows = Conversation.objects.in_space(access.space).filter(shared_at__isnull=False)
    conversation = get_object_or_404(rows, pk=conversation_id)
    messages = messages_of(access, conversation)
    context = {
        "conversation": conversation,
        "chat_messages": messages,
        "days": days_above(messages),
        "may_open": access.reader.sees(conversation.user_id),
    }
    return render(request, "chat/shared.html", context)
