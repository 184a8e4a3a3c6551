"""JSON API: the space's chat conversations."""

from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from accounts.authentication import access_to
from accounts.models import Space
from chat.conversations import services as conversations
from chat.models import Conversation, Message
from chat.schemas import (
    ConversationChange,
    ConversationDetail,
    ConversationList,
    ConversationOut,
    Search,
)
from foundation.errors import NotFound
from foundation.http.pagination import keyset
from foundation.http.requests import RowId, parse_uuid

router = Router(tags=["chat"])


@router.get(
    "conversations",
    response=ConversationList,
    url_name="conversations_list",
    operation_id="listConversations",
)
def list_conversations(request: HttpRequest, page: Query[Search]) -> dict[str, Any]:
    """List the space's conversations, latest first.

    `q` selects conversations whose title or messages contain each of its words.
    """
    access = access_to(request, "read")
    rows = Conversation.objects.in_space(access.space).readable_by(access.reader).saying(page.q)
    items, following = keyset("-updated_at").page(rows, limit=page.limit, cursor=page.cursor)
    return {"items": items, "next": following}


@router.get(
    "conversations/{id}",
    response=ConversationDetail,
    url_name="conversations_get",
    operation_id="getConversation",
)
def get_conversation(request: HttpRequest, id: RowId) -> ConversationDetail:
    """Return one conversation with its messages, without replaced ones."""
    access = access_to(request, "read")
    space = access.space
    rows = Conversation.objects.in_space(space).readable_by(access.reader)
    conversation = rows.filter(pk=parse_uuid(id)).first()
    if conversation is None:
        raise NotFound("Conversation not found.")
    messages = Message.objects.in_space(space).of(conversation).shown()
    return ConversationDetail.of(conversation, messages, access)


def _space_to_change(request: HttpRequest, reference: str) -> Space:
    """Return the space of a conversation that the caller may change; raises NotFound, Forbidden."""
    access = access_to(request, "write")
    conversations.conversation_for(access.space, access.reader, parse_uuid(reference))
    return access.space


@router.patch(
    "conversations/{id}",
    response=ConversationOut,
    url_name="conversations_change",
    operation_id="changeConversation",
)
def change_conversation(request: HttpRequest, id: RowId, asked: ConversationChange) -> Conversation:
    """Change a conversation's title and settings. New settings apply from the next reply."""
    space = _space_to_change(request, id)
    with transaction.atomic():
        conversations.choose(space=space, conversation_id=parse_uuid(id), **asked.choices)
        if asked.title is not None:
            conversations.rename_conversation(
                space=space, conversation_id=parse_uuid(id), title=asked.title
            )
    return Conversation.objects.in_space(space).get(pk=parse_uuid(id))


@router.delete(
    "conversations/{id}",
    response={204: None},
    url_name="conversations_delete",
    operation_id="deleteConversation",
)
def delete_conversation(request: HttpRequest, id: RowId) -> Status[None]:
    """Delete a conversation. Memories learned from it are kept; waiting assessments are skipped."""
    space = _space_to_change(request, id)
    conversations.delete_conversation(
        space=space, conversation_id=parse_uuid(id), now=timezone.now()
    )
    return Status(204, None)


@router.post(
    "conversations/{id}/restore",
    response=ConversationOut,
    url_name="conversations_restore",
    operation_id="restoreConversation",
)
def restore_conversation(request: HttpRequest, id: RowId) -> Conversation:
    """Restore a deleted conversation."""
    space = _space_to_change(request, id)
    return conversations.restore_conversation(
        space=space, conversation_id=parse_uuid(id), now=timezone.now()
    )
