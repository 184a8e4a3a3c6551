"""Pages: the playground."""

from collections.abc import Sequence
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from chat.models import Conversation, Message
from chat.views.choices import choice_context
from chat.views.conversations import listed
from chat.views.why import inspected
from memory.access.authentication import Access
from memory.access.forms import uuid_in
from memory.access.pages import PageRequest, space_page
from memory.models import Space

SHOWN_MESSAGES = 200


@login_required
def home(request: PageRequest) -> HttpResponse:
    """Redirect to the playground of the user's first space."""
    space = Space.objects.of_member(request.user).order_by("memberships__pk").first()
    if space is None:
        return render(request, "no_space.html")
    return redirect("playground", slug=space.slug)


@require_GET
@space_page("read")
def playground(
    request: PageRequest, access: Access, conversation_id: UUID | None = None
) -> HttpResponse:
    """Render a conversation or an empty one, with the list and the inspector beside it."""
    conversation = None
    messages: list[Message] = []
    if conversation_id is not None:
        rows = Conversation.objects.in_space(access.space)
        conversation = get_object_or_404(rows, pk=conversation_id)
        messages = messages_of(access.space, conversation)
    context = listed(access.space) | {
        "conversation": conversation,
        "current": conversation,
        "deleted": _deleted(request, access.space),
        "chat_messages": messages,
    }
    context |= inspected(access.space, newest_reply(messages))
    context |= choice_context(context["policy"])
    return render(request, "chat/playground.html", context)


def messages_of(space: Space, conversation: Conversation, *, after: int = 0) -> list[Message]:
    """Return the latest messages of a conversation for display, optionally those `after` a
    position.
    """
    rows = Message.objects.in_space(space).of(conversation).shown().filter(position__gt=after)
    newest = rows.select_related("assessment__memory").order_by("-position")
    messages = list(newest[:SHOWN_MESSAGES])[::-1]
    for message in messages:
        message.space = space  # the page's own object
    return messages


def _deleted(request: PageRequest, space: Space) -> UUID | None:
    """Return the id of the conversation deleted on the previous page, if it can be restored."""
    deleted = uuid_in(request.GET.get("deleted"))
    rows = Conversation.objects.filter(space_id=space.pk, deleted_at__isnull=False)
    return deleted if rows.filter(pk=deleted).exists() else None


def newest_reply(messages: Sequence[Message]) -> Message | None:
    """Return the assistant's last message, or None."""
    replies = (one for one in reversed(messages) if one.role == Message.Role.ASSISTANT)
    return next(replies, None)
