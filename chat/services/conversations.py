"""Writes of a conversation as a whole."""

from datetime import datetime
from uuid import UUID

from chat.models import Conversation
from memory.errors import NotFound
from memory.models import Space


def delete_conversation(*, space: Space, conversation_id: UUID, now: datetime) -> None:
    """Takes a conversation off the list; raises NotFound."""
    rows = Conversation.objects.in_space(space).filter(pk=conversation_id)
    if not rows.update(deleted_at=now):
        raise NotFound("There is no such conversation.")
