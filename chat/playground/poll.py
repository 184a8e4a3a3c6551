"""Pages: new messages of an open conversation from another tab, member or program."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.authentication import Access
from accounts.forms import uuid_in
from accounts.pages import PageRequest, space_page
from chat.models import Message
from chat.playground.page import days_above, messages_of, newest_reply
from chat.why.views import inspected


@require_GET
@space_page("read")
def poll(request: PageRequest, access: Access) -> HttpResponse:
    """Render the messages after the last reply that the page shows (`shown`).

    If that reply was replaced, renders the whole conversation; if it is the last, nothing. A page
    with an open edit field names no reply, so that the typed text is kept.
    """
    replies = (
        Message.objects.in_space(access.space)
        .readable_by(access.reader)
        .filter(role=Message.Role.ASSISTANT, conversation__deleted_at=None)
    )
    named = replies.filter(pk=uuid_in(request.GET.get("shown")))
    known = named.select_related("conversation").first()
    if known is None or replies.of(known.conversation).shown().last() == known:
        return render(request, "chat/_poll.html")
    is_replaced = known.replaced_at is not None
    after = 0 if is_replaced else known.position
    messages = messages_of(access, known.conversation, after=after)
    context = inspected(access, newest_reply(messages)) | {
        "chat_messages": messages,
        "days": days_above(messages, after=None if is_replaced else known),
    }
    response = render(request, "chat/_poll.html", context)
    if is_replaced:
        response["HX-Reswap"] = "innerHTML"
    return response
