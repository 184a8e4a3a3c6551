"""Pages: the playground."""

from collections.abc import Sequence
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts.authentication import Access
from accounts.forms import uuid_in
from accounts.models import Invitation, Space
from accounts.pages import PageRequest, space_page
from assessor.lessons import lessons_of
from chat.conversations.days import beginnings, day_name
from chat.conversations.views import listed
from chat.first_steps.views import things_to_try
from chat.models import Conversation, Message
from chat.playground.choices import choice_context
from chat.playground.persons import may_continue
from chat.why.shown_rules import rules_shown
from chat.why.views import inspected

SHOWN_MESSAGES = 200


@login_required
def home(request: PageRequest) -> HttpResponse:
    """Redirect to the playground of the user's first space."""
    space = Space.objects.of_member(request.user).order_by("memberships__pk").first()
    if space is None:
        pending = Invitation.objects.to_user(request.user, timezone.now())
        return render(request, "no_space.html", {"invitations": pending})
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
        rows = Conversation.objects.in_space(access.space).readable_by(access.reader)
        conversation = get_object_or_404(rows, pk=conversation_id)
        messages = messages_of(access, conversation)
    may_write = "write" in access.scopes
    context = listed(access) | {
        "conversation": conversation,
        "current": conversation,
        "deleted": _deleted(request, access),
        "chat_messages": messages,
        "days": days_above(messages),
        "may_say": may_write and (not conversation or may_continue(request, conversation)),
    }
    if may_write and not messages:
        context |= things_to_try(access.space)
    reply = newest_reply(messages)
    context |= inspected(access, reply, _answered(reply, messages))
    context |= choice_context(access.space, context["policy"])
    return render(request, "chat/playground.html", context)


def days_above(messages: Sequence[Message], *, after: Message | None = None) -> dict[UUID, str]:
    """Return the day to show above a message, by its id; none for the day of the message before,
    which may be `after`."""
    before = day_name(after.created_at) if after else ""
    return beginnings(messages, lambda message: day_name(message.created_at), before=before)


def messages_of(access: Access, conversation: Conversation, *, after: int = 0) -> list[Message]:
    """Return the latest messages of a conversation as the caller sees them, optionally those
    `after` a position.
    """
    rows = Message.objects.in_space(access.space).of(conversation).shown()
    rows = rows.filter(position__gt=after).select_related("assessment")
    rows = rows.prefetch_related(lessons_of(access.space, "assessment__"))
    messages = list(rows.order_by("-position")[:SHOWN_MESSAGES])[::-1]
    for message in messages:
        message.space = access.space  # the page's own object
        message.standing = rules_shown(message.standing, access)
    return messages


def _deleted(request: PageRequest, access: Access) -> UUID | None:
    """Return the id of the conversation deleted on the previous page, if it can be restored."""
    if "deleted" not in request.GET:
        return None
    deleted = uuid_in(request.GET["deleted"])
    rows = Conversation.objects.filter(space_id=access.space.pk, deleted_at__isnull=False)
    rows = rows.filter(access.reader.where())
    return deleted if rows.filter(pk=deleted).exists() else None


def _answered(reply: Message | None, messages: Sequence[Message]) -> str | None:
    """Return the user's message that the reply answers, None if it is not among these messages."""
    if reply is None:
        return None
    before = [one for one in messages if one.position < reply.position]
    said = [one.content for one in before if one.role == Message.Role.USER]
    return said[-1] if said else None


def newest_reply(messages: Sequence[Message]) -> Message | None:
    """Return the assistant's last message, or None."""
    replies = (one for one in reversed(messages) if one.role == Message.Role.ASSISTANT)
    return next(replies, None)
