"""Pages: a private conversation, which exists only in the page."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from pydantic import ValidationError

from accounts.authentication import Access
from accounts.models import Space
from accounts.pages import PageRequest, page_access, space_page
from assessor.llm import ChatMessage
from chat.choices import choices_in
from chat.models import Conversation, MemoryUse
from chat.playground.choices import choice_context
from chat.playground.persons import chat_user
from chat.replies.ephemeral import ephemeral_conversation, stream_ephemeral_reply
from chat.replies.sse import event, event_stream
from chat.replies.writing import Done, Failed, Recalled, Token
from chat.schemas import ChatIn
from chat.text.growing_text import GrowingText
from chat.why.inspector import why_unkept
from foundation.database.connections import in_thread
from foundation.errors import InvalidArguments
from memory.models.policies import current_policy


@require_GET
@never_cache
@space_page("write")
def private(request: PageRequest, access: Access) -> HttpResponse:
    """Render the page of a conversation that is not stored."""
    context = choice_context(access.space, current_policy(access.space).document)
    context["memory_uses"] = [
        (value, label) for value, label in MemoryUse.choices if value != MemoryUse.ON
    ]
    return render(request, "chat/private.html", context)


@require_POST
@login_required
async def say_privately(request: PageRequest, slug: str) -> HttpResponseBase:
    """Return the reply as server-sent events, in the response to the message's form."""
    access = await sync_to_async(page_access)(await request.auser(), slug, "write")
    try:
        asked = ChatIn.model_validate_json(request.POST.get("said", ""))
        conversation = ephemeral_conversation(
            space=access.space,
            user_id=chat_user(request),
            time_zone=str(access.zone),
            **choices_in(request.POST),
        )
    except (ValidationError, InvalidArguments) as error:
        raise BadRequest(type(error).__name__) from None  # the error's text contains the message
    if not asked.private:
        raise BadRequest("Only private turns are allowed here.")
    return event_stream(_fragments(conversation, asked.said, access.person))


async def _fragments(
    conversation: Conversation, said: list[ChatMessage], said_by: str | None
) -> AsyncGenerator[bytes]:
    """Yield `recalled`, then the text as it is said (`token`, for the page's history) and as
    rendered (`text`, in place of the open block), then `done` with the whole reply.
    """
    space, growing = conversation.space, GrowingText()
    async with aclosing(stream_ephemeral_reply(conversation, said, said_by=said_by)) as events:
        async for happened in events:
            if isinstance(happened, Token):
                yield event("token", happened.text)
                yield event("text", await asyncio.to_thread(growing.add, happened.text))
            elif isinstance(happened, Recalled):
                yield event("recalled", await in_thread(_inspector, space, happened))
            elif isinstance(happened, Done | Failed):
                context = {"reply": happened.reply}
                yield event("done", render_to_string("chat/_private_reply.html", context))


def _inspector(space: Space, found: Recalled) -> str:
    policy = current_policy(space).document
    why = why_unkept(space, found.results, found.standing)
    context = {"why": why, "space": space, "policy": policy}
    return render_to_string("chat/_recalled.html", context)
