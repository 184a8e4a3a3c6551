"""Pages: what was said in an open conversation by somebody else than the page that shows it."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from chat.models import Message
from chat.views.playground import messages_of, newest_reply
from chat.views.why import inspected
from memory.access.authentication import Access
from memory.access.forms import uuid_in
from memory.access.pages import PageRequest, space_page


@require_GET
@space_page("read")
def poll(request: PageRequest, access: Access) -> HttpResponse:
    """What follows the last reply that a page has (`shown`), from another tab, member or program;
    all of the conversation where that reply has been replaced, and nothing where it is the last.

    A page in which something is being edited names no reply: it would lose what was typed.
    """
    replies = Message.objects.in_space(access.space).filter(
        role=Message.Role.ASSISTANT, conversation__deleted_at=None
    )
    named = replies.filter(pk=uuid_in(request.GET.get("shown")))
    known = named.select_related("conversation").first()
    if known is None or replies.of(known.conversation).shown().last() == known:
        return render(request, "chat/_poll.html")
    is_replaced = known.replaced_at is not None
    after = 0 if is_replaced else known.position
    messages = messages_of(access.space, known.conversation, after=after)
    context = inspected(access.space, newest_reply(messages)) | {"chat_messages": messages}
    response = render(request, "chat/_poll.html", context)
    if is_replaced:
        response["HX-Reswap"] = "innerHTML"
    return response
