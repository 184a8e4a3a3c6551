"""Database writes on whole conversations."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Unpack
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from assessor.outbox.retractions import put_back, withdraw
from assessor.outbox.services import complete_exchange, reopen_exchange
from chat.choices import Choices, chosen
from chat.models import REPLY_OVERDUE, Conversation, Message
from foundation.errors import NotFound
from foundation.readers import Reader
from memory.references import check_change


def conversation_for(
    space: Space, reader: Reader, conversation_id: UUID, *, to_change: bool = True
) -> Conversation:
    """Return a conversation that the reader sees, deleted or not.

    Raises NotFound, or with `to_change` Forbidden for a shared one if the reader is a user.
    """
    rows = Conversation.objects.filter(space_id=space.pk, pk=conversation_id).readable_by(reader)
    conversation = rows.first()
    if conversation is None:
        raise NotFound("Conversation not found.")
    if to_change:
        check_change(reader, conversation)
    return conversation


def message_for(space: Space, reader: Reader, message_id: UUID) -> None:
    """Check that the reader may change the conversation of a message; raises as
    `conversation_for`."""
    found = Message.objects.in_space(space).filter(pk=message_id)
    conversation_id = found.values_list("conversation_id", flat=True).first()
    if conversation_id is None:
        raise NotFound("User message not found.")
    conversation_for(space, reader, conversation_id)


@transaction.atomic
def delete_conversation(*, space: Space, conversation_id: UUID, now: datetime) -> None:
    """Delete a conversation; raises NotFound.

    Its memories stay; its waiting assessments are skipped.
    """
    rows = Conversation.objects.in_space(space).filter(pk=conversation_id)
    if not rows.update(deleted_at=now):
        raise NotFound("Conversation not found.")
    withdraw(space=space, assessment_ids=_exchanges(space, conversation_id), now=now)


def choose(*, space: Space, conversation_id: UUID, **choices: Unpack[Choices]) -> None:
    """Change a conversation's settings from now on; raises InvalidArguments, NotFound."""
    made = chosen(choices)
    rows = Conversation.objects.in_space(space).filter(pk=conversation_id)
    if not (rows.update(**made) if made else rows.exists()):
        raise NotFound("Conversation not found.")


def rename_conversation(*, space: Space, conversation_id: UUID, title: str) -> None:
    """Rename a conversation; raises NotFound."""
    if not Conversation.objects.in_space(space).filter(pk=conversation_id).update(title=title):
        raise NotFound("Conversation not found.")


@transaction.atomic
def restore_conversation(*, space: Space, conversation_id: UUID, now: datetime) -> Conversation:
    """Restore a deleted conversation and requeue its skipped assessments; raises NotFound.

    A conversation that is not deleted stays unchanged.
    """
    rows = Conversation.objects.filter(space_id=space.pk, pk=conversation_id)
    conversation = rows.select_for_update().first()
    if conversation is None:
        raise NotFound("Conversation not found.")
    if conversation.deleted_at is not None:
        exchanges = _exchanges(space, conversation_id)
        taken_at = conversation.deleted_at
        back = put_back(space=space, assessment_ids=exchanges, taken_at=taken_at, now=now)
        _bring_replies(space, back, now)
        conversation.deleted_at = None
        rows.update(deleted_at=None)
    return conversation


def _exchanges(space: Space, conversation_id: UUID) -> list[UUID]:
    rows = Message.objects.in_space(space).filter(conversation_id=conversation_id)
    return [pk for pk in rows.values_list("assessment_id", flat=True) if pk]


def _bring_replies(space: Space, assessment_ids: Collection[UUID], now: datetime) -> None:
    """Add replies that were finished after the deletion to their exchanges.

    An exchange whose reply is still being written waits for it.
    """
    replies = Message.objects.in_space(space).filter(
        assessment__in=assessment_ids, assessment__assistant_response=""
    )
    going_on = set(replies.under_way(now))
    for reply in replies:
        exchange: dict[str, Any] = {"space": space, "assessment_id": reply.assessment_id}
        if reply in going_on:
            reopen_exchange(**exchange, due_at=now + REPLY_OVERDUE)
        else:
            complete_exchange(**exchange, assistant_response=reply.content, now=now)
