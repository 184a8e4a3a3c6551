"""Pages: a reply as a stream of page fragments while it is written, and its stop button."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, suppress
from itertools import groupby
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.forms import uuid_in
from accounts.pages import PageRequest, page_access
from chat.models import Message
from chat.refusals import refusal
from chat.replies import elsewhere, live
from chat.replies.services import is_being_written, stop_pending
from chat.replies.sse import event, event_stream
from chat.replies.writing import Event, Recalled, Token, Tool
from chat.text.growing_text import GrowingText
from chat.why.views import inspected
from foundation.database.connections import in_thread, release_request_connection
from foundation.errors import Conflict


@require_GET
@login_required
async def reply(request: PageRequest, slug: str, message_id: UUID) -> HttpResponseBase:
    """Return the reply as server-sent events, each a fragment of the page."""
    user = await request.auser()
    access, message = await sync_to_async(_message)(user, slug, message_id)
    return event_stream(_fragments(access, message))


def _message(user: Any, slug: str, message_id: UUID) -> tuple[Access, Message]:
    access = page_access(user, slug, "read")
    rows = (
        Message.objects.in_space(access.space)
        .readable_by(access.reader)
        .select_related("conversation__space__embedder", "space__embedder")
    )
    return access, get_object_or_404(rows, pk=message_id, role=Message.Role.ASSISTANT)


async def _fragments(access: Access, message: Message) -> AsyncGenerator[bytes]:
    """Yield the events as they come, then `done` with the whole reply.

    A browser that reconnects gets all events again.
    """
    may_begin = "write" in access.scopes
    if following := live.follow(message, may_begin=may_begin):
        with suppress(Conflict):  # another process was faster
            async with aclosing(_drawn(access, message, following.read())) as pieces:
                async for piece in pieces:
                    yield piece
    async with aclosing(_drawn(access, message, elsewhere.read(message))) as pieces:
        async for piece in pieces:
            yield piece
    yield event("done", await in_thread(_finished, access, message))


async def _drawn(
    access: Access, message: Message, reading: AsyncGenerator[list[Event]]
) -> AsyncGenerator[bytes]:
    """Yield the reply's events as page fragments.

    `recalled`, `text` and `tools` replace the page's content; `token` replaces the open block of
    the text, and `tool` appends.
    """
    text, tool = "text", "tools"
    growing = GrowingText(f"open-{message.pk}")
    async with aclosing(reading) as news:
        async for happened in news:
            for piece in _pieces(happened):
                if isinstance(piece, Recalled):
                    message.recalled, message.standing = piece.results, piece.standing
                    yield event("recalled", await in_thread(_inspector, access, message))
                elif isinstance(piece, Tool):
                    yield event(tool, _tool_call(piece.call))
                    tool = "tool"
                elif isinstance(piece, Token):
                    # In a thread, because long code takes milliseconds to colour.
                    yield event(text, await asyncio.to_thread(growing.add, piece.text))
                    text = "token"


def _pieces(happened: Sequence[Event]) -> Iterator[Event]:
    """Yield the events with adjacent tokens joined.

    The complete list of memories is last: the text does not wait for it.
    """
    recalled = [one for one in happened if isinstance(one, Recalled)]
    others = [one for one in happened if not isinstance(one, Recalled)]
    for is_text, run in groupby(others, key=lambda one: isinstance(one, Token)):
        if is_text:
            yield Token("".join(one.text for one in run if isinstance(one, Token)))
        else:
            yield from run
    yield from recalled[-1:]


@require_POST
@login_required
async def stop(request: PageRequest, slug: str) -> HttpResponse:
    """Stop the reply being written in the conversation; its text so far is stored."""
    user = await request.auser()
    messages = await sync_to_async(_under_way)(user, slug, request.POST.get("conversation"))
    await release_request_connection()
    for message in messages:
        if not await live.stop(message.pk):
            await in_thread(
                stop_pending, space=message.space, message_id=message.pk, now=timezone.now()
            )
        if await in_thread(is_being_written, message) and not await elsewhere.stop(message):
            sentence = _(
                "This reply is running on another server and will stop once it's closed there."
            )
            return await sync_to_async(refusal)(request, sentence)
    return HttpResponse(status=204)


def _under_way(user: Any, slug: str, conversation_id: str | None) -> list[Message]:
    access = page_access(user, slug, "write")
    rows = Message.objects.in_space(access.space).readable_by(access.reader).select_related("space")
    under_way = rows.under_way(timezone.now())
    return list(under_way.filter(conversation_id=uuid_in(conversation_id)))


def _inspector(access: Access, message: Message) -> str:
    return render_to_string("chat/_recalled.html", inspected(access, message))


def _tool_call(call: dict[str, Any]) -> str:
    return render_to_string("chat/_tool_call.html", {"call": call})


def _finished(access: Access, message: Message) -> str:
    """Render the stored reply, with its explanation for the inspector."""
    rows = Message.objects.in_space(message.space).select_related("assessment__memory", "space")
    stored = rows.get(pk=message.pk)
    may_write = "write" in access.scopes
    context = inspected(access, stored) | {"message": stored, "may_write": may_write}
    return render_to_string("chat/_finished.html", context)
