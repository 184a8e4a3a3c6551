"""The tables of the chat: conversations, their messages, and stored responses."""

from chat.models.conversations import (
    REPLY_OVERDUE,
    UNFINISHED,
    Conversation,
    ConversationQuerySet,
    MemoryUse,
    Message,
    MessageQuerySet,
)
from chat.models.stored_responses import StoredResponse, StoredResponseQuerySet
from chat.models.turn_keys import IdempotentTurn

__all__ = [
    "REPLY_OVERDUE",
    "UNFINISHED",
    "Conversation",
    "ConversationQuerySet",
    "IdempotentTurn",
    "MemoryUse",
    "Message",
    "MessageQuerySet",
    "StoredResponse",
    "StoredResponseQuerySet",
]
