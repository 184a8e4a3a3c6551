"""JSON API: send a message and get a reply."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from uuid import UUID

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from ninja import Router

from assessor.llm import ModelError
from chat.ephemeral import ephemeral_conversation, stream_ephemeral_reply
from chat.models import Conversation, Message
from chat.replies import Done, Event, Failed, Recalled, Token, Tool, stream_reply
from chat.schemas import AnswerIn, ChatIn, ChatOut, ConversationOut, EditIn
from chat.services.edits import edit_message, take_back_edit
from chat.services.turns import NewConversation, answer_again, begin_turn
from chat.sse import event, event_stream
from memory.access.authentication import access_to
from memory.connections import release_connection, release_request_connection
from memory.requests import may_fail, or_events

router = Router(tags=["chat"])

AS_USUAL = AnswerIn()  # for calls without a body


@router.post(
    "chat",
    response=ChatOut,
    url_name="chat",
    operation_id="chat",
    openapi_extra=or_events(404, 409, 503),
)
async def chat(request: HttpRequest, asked: ChatIn) -> ChatOut | HttpResponseBase:
    """Send a message and return the reply with the recalled memories.

    With `stream`, the reply comes as server-sent events.
    """
    access, now = access_to(request, "write"), timezone.now()
    if asked.private:
        await release_request_connection()
        conversation = ephemeral_conversation(space=access.space, **asked.choices)
        reply = stream_ephemeral_reply(conversation, asked.said)
        return await _answer(None, reply, stream=asked.stream)
    begin = partial(
        begin_turn,
        space=access.space,
        text=asked.message,
        now=now,
        conversation=asked.conversation_id or NewConversation(),
        claimed=True,
        **asked.choices,
    )
    return await _answer_turn(begin, stream=asked.stream)


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
    access, now = access_to(request, "write"), timezone.now()
    begin = partial(answer_again, space=access.space, conversation_id=id, now=now, claimed=True)
    return await _answer_turn(begin, stream=asked.stream)


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
    access, now = access_to(request, "write"), timezone.now()
    begin = partial(
        edit_message,
        space=access.space,
        message_id=id,
        text=asked.message,
        actor=access.actor,
        now=now,
        claimed=True,
    )
    return await _answer_turn(begin, stream=asked.stream)


@router.post(
    "messages/{id}/restore",
    response=ConversationOut,
    url_name="messages_restore",
    operation_id="restoreMessage",
    openapi_extra=may_fail(409),
)
def restore(request: HttpRequest, id: UUID) -> Conversation:
    """Undo the latest edit of a conversation.

    Restores the message, the messages after it and the memories learned from them.
    """
    access = access_to(request, "write")
    return take_back_edit(space=access.space, message_id=id, actor=access.actor, now=timezone.now())


async def _answer_turn(begin: Callable[[], Message], *, stream: bool) -> ChatOut | HttpResponseBase:
    """Return the answer to a turn that `begin` stores, and release the connection before it is
    written.
    """

    def write() -> Message:
        message = begin()
        release_connection()
        return message

    message = await sync_to_async(write)()
    return await _answer(message, stream_reply(message), stream=stream)


async def _answer(
    message: Message | None, reply: AsyncGenerator[Event], *, stream: bool
) -> ChatOut | HttpResponseBase:
    """Return the reply as an event stream or as a whole; an ephemeral reply has no message."""
    if stream:
        return event_stream(_events(message, reply))
    async with aclosing(reply) as events:
        async for happened in events:
            if isinstance(happened, Failed):
                raise happened.error
            if isinstance(happened, Done):
                return ChatOut.of(message, happened.reply)
    raise ModelError("The reply ended without an end.")


async def _events(
    message: Message | None, happening: AsyncGenerator[Event]
) -> AsyncGenerator[bytes]:
    """Yield `recalled`, then `token`…, then `done` or `error`."""
    async with aclosing(happening) as events:
        async for happened in events:
            match happened:
                case Recalled(results):
                    yield event("recalled", json.dumps({"results": results}))
                case Token(text):
                    yield event("token", json.dumps({"text": text}))
                case Tool(call):
                    yield event("tool", json.dumps(call))
                case Done(reply):
                    yield event("done", ChatOut.of(message, reply).model_dump_json())
                case Failed(reply, _):
                    problem = {"code": "model_unavailable", "detail": reply.error}
                    yield event("error", json.dumps(problem))
