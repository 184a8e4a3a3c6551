"""JSON API: say something and be answered."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from ninja import Router

from assessor.llm import ModelError
from chat.models import Message
from chat.private import private_conversation, stream_private_reply
from chat.replies import Done, Event, Failed, Recalled, Token, begin_recall, stream_reply
from chat.schemas import ChatIn, ChatOut
from chat.services.turns import begin_turn
from chat.sse import event, event_stream
from memory.authentication import Access, access_to
from memory.connections import release_connection

router = Router(tags=["chat"])


@router.post("chat", response=ChatOut, url_name="chat", operation_id="chat")
async def chat(request: HttpRequest, asked: ChatIn) -> ChatOut | HttpResponseBase:
    """Say something and be answered, with what was recalled; as server-sent events on request."""
    access = access_to(request, "write")
    if asked.private:
        message, reply = None, _answered_privately(access, asked)
    else:
        message, reply = await _answered(access, asked, timezone.now())
    if asked.stream:
        return event_stream(_events(message, reply))
    async with aclosing(reply) as events:
        async for happened in events:
            if isinstance(happened, Failed):
                raise happened.error
            if isinstance(happened, Done):
                return ChatOut.of(message, happened.reply)
    raise ModelError("The reply ended without an end.")


async def _answered(
    access: Access, asked: ChatIn, now: datetime
) -> tuple[Message, AsyncGenerator[Event]]:
    recalling = begin_recall(
        space=access.space,
        text=asked.message,
        conversation_id=asked.conversation_id,
        now=now,
        **asked.choices,
    )
    message = await sync_to_async(_begin)(access, asked, now)
    return message, stream_reply(message, recalling)


def _answered_privately(access: Access, asked: ChatIn) -> AsyncGenerator[Event]:
    conversation = private_conversation(space=access.space, **asked.choices)
    return stream_private_reply(conversation, asked.said)


def _begin(access: Access, asked: ChatIn, now: datetime) -> Message:
    message = begin_turn(
        space=access.space,
        text=asked.message,
        now=now,
        conversation_id=asked.conversation_id,
        claimed=True,
        **asked.choices,
    )
    release_connection()
    return message


async def _events(
    message: Message | None, happening: AsyncGenerator[Event]
) -> AsyncGenerator[bytes]:
    """`recalled`, `token`…, then `done` or `error`."""
    async with aclosing(happening) as events:
        async for happened in events:
            match happened:
                case Recalled(results):
                    yield event("recalled", json.dumps({"results": results}))
                case Token(text):
                    yield event("token", json.dumps({"text": text}))
                case Done(reply):
                    yield event("done", ChatOut.of(message, reply).model_dump_json())
                case Failed(reply, _):
                    problem = {"code": "model_unavailable", "detail": reply.error}
                    yield event("error", json.dumps(problem))
