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


def rename_conversation(*, space: Space, conversation_id: UUID, title: str) -> None:
    """Calls a conversation something else; raises NotFound."""
    if not Conversation.objects.in_space(space).filter(pk=conversation_id).update(title=title):
        raise NotFound("There is no such conversation.")


def restore_conversation(*, space: Space, conversation_id: UUID) -> Conversation:
    """Puts a deleted conversation back on the list; one that is there stays. Raises NotFound."""
    rows = Conversation.objects.filter(space_id=space.pk, pk=conversation_id)
    if not rows.update(deleted_at=None):
        raise NotFound("There is no such conversation.")
    return rows.get()
