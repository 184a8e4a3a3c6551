"""JSON API: send a message and get a reply."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from ninja import Router

from accounts.authentication import Access, access_to
from accounts.models import Space
from assessor.llm import ModelError
from assessor.screening import GATE_HEADER, GateReason, gate_reason
from chat.conversations.services import conversation_for, message_for
from chat.models import Message
from chat.replies.edits import edit_message
from chat.replies.ephemeral import ephemeral_conversation, stream_ephemeral_reply
from chat.replies.repeats import begin_once
from chat.replies.sse import event, event_stream, token_event
from chat.replies.stored_turns import ReplyFailed, kept, stored_reply
from chat.replies.turns import NewConversation, answer_again, begin_turn
from chat.replies.writing import Done, Event, Failed, Recalled, Token, Tool, stream_reply
from chat.schemas import AnswerIn, ChatIn, ChatOut, EditIn
from foundation.database.connections import release_connection, release_request_connection
from foundation.http.requests import OnceOnly, or_events
from foundation.moments import zone_name
from memory.embeddings import EmbeddingError
from memory.recall.share import turn_of
from memory.store.idempotency import key_of

router = Router(tags=["chat"])

AS_USUAL = AnswerIn()  # for calls without a body


@router.post(
    "chat",
    response=ChatOut,
    url_name="chat",
    operation_id="chat",
    openapi_extra=or_events(404, 409, 503),
)
async def chat(
    request: HttpRequest,
    response: HttpResponse,
    asked: ChatIn,
    idempotency_key: OnceOnly = None,
) -> ChatOut | HttpResponseBase:
    """Send a message and return the reply with the recalled memories.

    Ebb learns nothing from a message without a person's own words; the header `X-Ebb-Gate` says
    why. With `stream`, the reply comes as server-sent events. If the reply fails, the message stays
    stored and the error's `kept` names it. A repeated call with the same Idempotency-Key returns
    the finished reply, or answers the stored message again.
    """
    access = access_to(request, "write", asked.user_id)
    if asked.private:
        await release_request_connection()
        zone = zone_name(access.here(timezone.now(), asked.timezone))
        conversation = ephemeral_conversation(
            space=access.space, user_id=access.owner, time_zone=zone, **asked.choices
        )
        reply = stream_ephemeral_reply(conversation, asked.said, said_by=access.person)
        return await _answer(None, reply, stream=asked.stream)
    begin = _begin(access, asked, key_of(idempotency_key, access.reader))
    check = partial(conversation_for, access.space, access.reader)
    answer = await _answer_turn(access, begin, check, asked.conversation_id, stream=asked.stream)
    if gated := await sync_to_async(_gated)(access.space, asked.message or ""):
        shown = answer if isinstance(answer, HttpResponseBase) else response
        shown.headers[GATE_HEADER] = gated
    return answer


def _begin(access: Access, asked: ChatIn, key: str | None) -> Callable[[], Message]:
    """Return the function that stores the turn, or finds the one that was stored by this key."""
    now = access.here(timezone.now(), asked.timezone)
    begin = partial(
        begin_turn,
        space=access.space,
        text=asked.message,
        now=now,
        conversation=asked.conversation_id or NewConversation(user_id=access.owner),
        claimed=True,
        learns=access.learns,
        said_by=access.person,
        **asked.choices,
    )
    if key is None:
        return begin
    return partial(
        begin_once, space=access.space, key=key, now=now, learns=access.learns, begin=begin
    )


def _gated(space: Space, message: str) -> GateReason | None:
    """Return the reason why the message teaches nothing, or None."""
    with turn_of(space, message):
        return gate_reason(message)


@router.post(
    "conversations/{id}/regenerate",
    response=ChatOut,
    url_name="conversations_regenerate",
    operation_id="regenerateReply",
    openapi_extra=or_events(409, 503),
)
async def regenerate(
    request: HttpRequest, id: UUID, asked: AnswerIn = AS_USUAL
) -> ChatOut | HttpResponseBase:
    """Answer the user's last message again. The new reply replaces the old one."""
    access = access_to(request, "write")
    begin = partial(
        answer_again,
        space=access.space,
        conversation_id=id,
        now=access.here(timezone.now(), asked.timezone),
        claimed=True,
        learns=access.learns,
        said_by=access.person,
    )
    check = partial(conversation_for, access.space, access.reader)
    return await _answer_turn(access, begin, check, id, stream=asked.stream)


@router.post(
    "messages/{id}/edit",
    response=ChatOut,
    url_name="messages_edit",
    operation_id="editMessage",
    openapi_extra=or_events(409, 503),
)
async def edit(request: HttpRequest, id: UUID, asked: EditIn) -> ChatOut | HttpResponseBase:
    """Edit a user message and return a new reply. Later messages are replaced.

    Memories learned only from replaced messages are moved to the bin.
    """
    access = access_to(request, "write")
    begin = partial(
        edit_message,
        space=access.space,
        message_id=id,
        text=asked.message,
        actor=access.actor,
        now=access.here(timezone.now(), asked.timezone),
        claimed=True,
        learns=access.learns,
        said_by=access.person,
    )
    check = partial(message_for, access.space, access.reader)
    return await _answer_turn(access, begin, check, id, stream=asked.stream)


async def _answer_turn(
    access: Access,
    begin: Callable[[], Message],
    check: Callable[[UUID], object],
    id_: UUID | None,
    *,
    stream: bool,
) -> ChatOut | HttpResponseBase:
    """Return the answer to a turn that `begin` stores, and release the connection before it is
    written. `check` refuses the conversation or message with this id if it is not the caller's.
    """

    def write() -> Message:
        if id_ is not None:
            check(id_)
        message = begin()
        release_connection()
        return message

    message = await sync_to_async(write)()
    finished = message.state == Message.State.DONE  # an earlier call with the same key
    reply = stored_reply(message, access) if finished else stream_reply(message)
    return await _answer(message, reply, stream=stream)


async def _answer(
    message: Message | None, reply: AsyncGenerator[Event], *, stream: bool
) -> ChatOut | HttpResponseBase:
    """Return the reply as an event stream or as a whole; an ephemeral reply has no message.

    Raises ReplyFailed after something was stored.
    """
    if stream:
        return event_stream(_events(message, reply))
    try:
        return await _whole(message, reply)
    except (ModelError, EmbeddingError, OperationalError, InterfaceError) as error:
        if message is None:
            raise
        raise ReplyFailed(message, error) from error


async def _whole(message: Message | None, reply: AsyncGenerator[Event]) -> ChatOut:
    async with aclosing(reply) as events:
        async for happened in events:
            if isinstance(happened, Failed):
                raise happened.error
            if isinstance(happened, Done):
                return ChatOut.of(message, happened.reply)
    raise ModelError("The reply stopped before it was complete.")


async def _events(
    message: Message | None, happening: AsyncGenerator[Event]
) -> AsyncGenerator[bytes]:
    """Yield `recalled`, then `token`…, then `done` or `error`."""
    try:
        async with aclosing(happening) as events:
            async for happened in events:
                yield _event(message, happened)
    except (OperationalError, InterfaceError):
        yield _failure(message, "busy", "The database does not answer.")


def _event(message: Message | None, happened: Event) -> bytes:
    match happened:
        case Recalled(results, standing):
            return event("recalled", json.dumps({"results": results, "standing": standing}))
        case Token(text):
            return token_event(text)
        case Tool(call):
            return event("tool", json.dumps(call))
        case Done(reply):
            return event("done", ChatOut.of(message, reply).model_dump_json())
        case Failed(reply, _):
            return _failure(message, "model_unavailable", reply.error)


def _failure(message: Message | None, code: str, detail: str) -> bytes:
    stored = {"kept": kept(message)} if message else {}
    return event("error", json.dumps({"code": code, "detail": detail, **stored}))
