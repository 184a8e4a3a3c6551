"""Writes of a conversation as a whole."""

from datetime import datetime
from typing import Unpack
from uuid import UUID

from chat.choices import Choices, chosen
from chat.models import Conversation
from memory.errors import NotFound
from memory.models import Space


def delete_conversation(*, space: Space, conversation_id: UUID, now: datetime) -> None:
    """Takes a conversation off the list; raises NotFound."""
    rows = Conversation.objects.in_space(space).filter(pk=conversation_id)
    if not rows.update(deleted_at=now):
        raise NotFound("There is no such conversation.")


def choose(*, space: Space, conversation_id: UUID, **choices: Unpack[Choices]) -> None:
    """Changes what a conversation goes by from here on; raises InvalidArguments, NotFound."""
    made = chosen(choices)
    rows = Conversation.objects.in_space(space).filter(pk=conversation_id)
    if not (rows.update(**made) if made else rows.exists()):
        raise NotFound("There is no such conversation.")
