"""JSON API: chat, and the conversations it makes."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from ninja import Query, Router, Status

from assessor.llm import ModelError
from chat import services
from chat.models import Conversation, Message
from chat.replies import Done, Event, Failed, Recalled, Token, begin_recall, stream_reply
from chat.schemas import ChatIn, ChatOut, ConversationDetail, ConversationList, Page
from chat.sse import event, event_stream
from memory.authentication import Access, access_to
from memory.connections import release_connection
from memory.errors import FieldError, InvalidArguments, NotFound
from memory.pagination import keyset

router = Router(tags=["chat"])


@router.post("chat", response=ChatOut, url_name="chat", operation_id="chat")
async def chat(request: HttpRequest, asked: ChatIn) -> ChatOut | HttpResponseBase:
    """Say something and be answered, with what was recalled; as server-sent events on request."""
    access, now = access_to(request, "write"), timezone.now()
    recalling = begin_recall(
        space=access.space,
        text=asked.message,
        conversation_id=asked.conversation_id,
        memory=asked.memory,
        now=now,
    )
    message = await sync_to_async(_begin)(access, asked, now)
    reply = stream_reply(message, recalling)
    if asked.stream:
        return event_stream(_events(message, reply))
    async with aclosing(reply) as events:
        async for happened in events:
            if isinstance(happened, Failed):
                raise happened.error
            if isinstance(happened, Done):
                return ChatOut.of(message, happened.reply)
    raise ModelError("The reply ended without an end.")


def _begin(access: Access, asked: ChatIn, now: datetime) -> Message:
    message = services.begin_turn(
        space=access.space,
        text=asked.message,
        now=now,
        conversation_id=asked.conversation_id,
        memory=asked.memory,
        claimed=True,
    )
    release_connection()
    return message


async def _events(message: Message, happening: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
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


@router.get(
    "conversations",
    response=ConversationList,
    url_name="conversations_list",
    operation_id="listConversations",
)
def list_conversations(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    """The space's conversations, the one spoken in last first."""
    rows = Conversation.objects.in_space(access_to(request, "read").space)
    items, following = keyset("-updated_at").page(rows, limit=page.limit, cursor=page.cursor)
    return {"items": items, "next": following}


def _uuid(reference: str) -> UUID:
    try:
        return UUID(reference)
    except ValueError:
        raise InvalidArguments(FieldError("id", "not a UUID")) from None


@router.get(
    "conversations/{id}",
    response=ConversationDetail,
    url_name="conversations_get",
    operation_id="getConversation",
)
def get_conversation(request: HttpRequest, id: str) -> dict[str, Any]:
    """One conversation with its messages."""
    space = access_to(request, "read").space
    conversation = Conversation.objects.in_space(space).filter(pk=_uuid(id)).first()
    if conversation is None:
        raise NotFound("There is no such conversation.")
    messages = Message.objects.in_space(space).of(conversation)
    return {
        "id": conversation.pk,
        "title": conversation.title,
        "memory": conversation.memory,
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
        "messages": list(messages),
    }


@router.delete(
    "conversations/{id}",
    response={204: None},
    url_name="conversations_delete",
    operation_id="deleteConversation",
)
def delete_conversation(request: HttpRequest, id: str) -> Status[None]:
    """Take a conversation off the list. What was remembered from it stays."""
    space = access_to(request, "write").space
    services.delete_conversation(space=space, conversation_id=_uuid(id), now=timezone.now())
    return Status(204, None)
