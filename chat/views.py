"""Pages: the playground."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from pydantic import TypeAdapter, ValidationError

from chat import services
from chat.inspector import recalled_hits
from chat.models import Conversation, MemoryUse, Message
from chat.replies import Recalled, Token, stream_reply
from chat.responders import get_responder
from chat.sse import event, event_stream
from memory.authentication import Access
from memory.connections import in_thread
from memory.drafts import Content
from memory.errors import Conflict, NotFound
from memory.models import Space
from memory.pages import PageRequest, page_access, space_page
from memory.querysets.policies import current_policy
from memory.tides import show

LISTED_CONVERSATIONS = 50
SHOWN_MESSAGES = 200
SECOND_LOOK = 0.5  # seconds
_CONTENT: TypeAdapter[str] = TypeAdapter(Content)


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
        "chat_messages": _shown(access.space, messages),
        "responder": get_responder().label,
        "memory_uses": MemoryUse.choices,
        "hits": recalled_hits(access.space, messages[-1].recalled) if messages else [],
    }
    return render(request, "chat/playground.html", context)


def _shown(space: Space, messages: list[Message]) -> list[Message]:
    """Messages whose remembered memories can be drawn."""
    learned = [m.assessment.memory for m in messages if m.assessment and m.assessment.memory]
    show(learned, current_policy(space).document, timezone.now())
    return messages


@require_POST
@space_page("write")
def say(request: PageRequest, access: Access) -> HttpResponse:
    """Stores what the person said; the answer draws it with a reply that is about to stream."""
    try:
        text = _CONTENT.validate_python(request.POST.get("message", ""))
        conversation_id = UUID(given) if (given := request.POST.get("conversation", "")) else None
        memory = MemoryUse(request.POST.get("memory", MemoryUse.ON))
    except (ValidationError, ValueError):
        return _refusal(request, _("There is nothing to send, or too much of it."))
    try:
        message = services.begin_turn(
            space=access.space,
            text=text,
            now=timezone.now(),
            conversation_id=conversation_id,
            user=request.user,  # type: ignore[arg-type]  # logged in, says space_page
            memory=memory,
        )
    except NotFound:
        raise Http404 from None
    except Conflict:
        return _refusal(
            request, _("A reply is still being written. Send it again when it is done.")
        )
    address = reverse("conversation", args=[access.space.slug, message.conversation_id])
    if not request.htmx:
        return redirect(address)
    response = render(
        request,
        "chat/_turn.html",
        {"said": text, "message": message, "is_new": conversation_id is None},
    )
    response["HX-Push-Url"] = address
    return response


def _refusal(request: PageRequest, sentence: str) -> HttpResponse:
    return render(request, "chat/_refusal.html", {"text": sentence})


@login_required
async def reply(request: PageRequest, slug: str, message_id: UUID) -> HttpResponseBase:
    """The reply as server-sent events, each a piece of the page."""
    user = await request.auser()
    message = await sync_to_async(_message)(user, slug, message_id, "write")
    return event_stream(_fragments(message))


def _message(user: Any, slug: str, message_id: UUID, scope: str) -> Message:
    access = page_access(user, slug, scope)
    rows = Message.objects.in_space(access.space).select_related("conversation", "space__embedder")
    return get_object_or_404(rows, pk=message_id, role=Message.Role.ASSISTANT)


async def _fragments(message: Message) -> AsyncGenerator[bytes]:
    """`recalled` and `token`s as they come, then `done` with the whole reply."""
    try:
        async with aclosing(stream_reply(message)) as events:
            async for happened in events:
                if isinstance(happened, Token):
                    yield event("token", escape(happened.text))
                elif isinstance(happened, Recalled):
                    yield event("recalled", await in_thread(_inspector, message, happened.results))
    except Conflict:
        # A second tab, or a browser that reconnects: it is shown the whole when it is there.
        while await in_thread(_is_being_written, message):
            await asyncio.sleep(SECOND_LOOK)
    yield event("done", await in_thread(_finished, message))


def _is_being_written(message: Message) -> bool:
    """Whether the reply may still come: its writer has not died long ago."""
    under_way = Message.objects.in_space(message.space).under_way(timezone.now())
    return under_way.filter(pk=message.pk).exists()


def _inspector(message: Message, recalled: list[dict[str, Any]]) -> str:
    hits = recalled_hits(message.space, recalled)
    return render_to_string("chat/_recalled.html", {"hits": hits, "space": message.space})


def _finished(message: Message) -> str:
    message = Message.objects.select_related("assessment__memory").get(
        space_id=message.space_id, pk=message.pk
    )
    _shown(message.space, [message])
    return render_to_string("chat/_reply.html", {"message": message, "space": message.space})


@require_GET
@space_page("read")
def exchange(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """How far the assessment of an exchange is, and what it taught; asked until it is finished."""
    rows = Message.objects.in_space(access.space).select_related("assessment__memory")
    message = get_object_or_404(rows, pk=message_id)
    _shown(access.space, [message])
    return render(
        request, "chat/_assessment.html", {"message": message, "space": access.space, "live": True}
    )
