"""Pages: a reply while it is written, as a stream of pieces of the page."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import escape

from chat.inspector import recalled_hits
from chat.models import Message
from chat.replies import Recalled, Token, Tool, stream_reply
from chat.sse import event, event_stream
from chat.views.exchanges import shown
from memory.connections import in_thread
from memory.errors import Conflict
from memory.pages import PageRequest, page_access

SECOND_LOOK = 0.5  # seconds


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
                elif isinstance(happened, Tool):
                    yield event("tool", _tool_call(happened.call))
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


def _tool_call(call: dict[str, Any]) -> str:
    return render_to_string("chat/_tool_call.html", {"call": call})


def _finished(message: Message) -> str:
    message = Message.objects.select_related("assessment__memory").get(
        space_id=message.space_id, pk=message.pk
    )
    shown(message.space, [message])
    return render_to_string("chat/_reply.html", {"message": message, "space": message.space})
