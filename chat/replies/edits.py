"""Edits a message, and undoes an edit.

Replaced messages are kept, but not shown or sent to a model. All messages replaced at the same
moment belong to one edit and are restored together.
"""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from accounts.models import Space
from assessor.outbox.retractions import reinstate, retract
from chat.models import Conversation, Message, MessageQuerySet
from chat.replies.turns import lock_conversation, next_position, only_read, title_of, write_turn
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound
from foundation.moments import zone_name


@transaction.atomic
def edit_message(
    *,
    space: Space,
    message_id: UUID,
    text: str,
    actor: Actor,
    now: datetime,
    claimed: bool = False,
    learns: bool = True,
    said_by: str | None = None,
) -> Message:
    """Replace the message and all after it with a new turn; return the new reply's row.

    Unless it `learns`, the new turn teaches nothing. Memories learned only from the replaced
    messages move to the bin. Raises NotFound, or Conflict while a reply is being written or if the
    message was replaced already.
    """
    said = _said(space, message_id)
    conversation = lock_conversation(space, said.conversation_id, now)
    rows = Message.objects.in_space(space).of(conversation).shown()
    if not rows.filter(pk=said.pk).exists():
        raise Conflict("This message was already replaced.")
    _replace(space, rows.filter(position__gte=said.position), actor, now)
    _touch(conversation, said.content, text, now)
    only_read(conversation, unless=learns)
    return write_turn(
        conversation, next_position(conversation), text, now, claimed=claimed, said_by=said_by
    )


@transaction.atomic
def undo_edit(*, space: Space, message_id: UUID, actor: Actor, now: datetime) -> Conversation:
    """Undo an edit: restore the replaced messages and the memories learned from them.

    The newer messages are replaced in turn; a reply that is being written is stopped. Raises
    NotFound, or Conflict unless the edit was the conversation's latest.
    """
    said = _said(space, message_id)
    conversations = Conversation.objects.in_space(space).select_for_update()
    conversation = conversations.filter(pk=said.conversation_id).first()
    if conversation is None:
        raise NotFound("Conversation not found.")
    rows = Message.objects.in_space(space).of(conversation)
    latest = rows.filter(role=Message.Role.USER).aggregate(at=Max("replaced_at"))["at"]
    said.refresh_from_db(fields=["replaced_at"])
    edit = rows.filter(replaced_at=latest)
    newer = rows.shown().filter(position__gt=said.position)
    said_instead = newer.first()
    if latest is None or said.replaced_at != latest or said_instead is None:
        raise Conflict("Only the latest edit of a conversation can be undone.")
    unfinished = [Message.State.PENDING, Message.State.STREAMING]
    newer.filter(state__in=unfinished).update(state=Message.State.STOPPED)
    _replace(space, newer, actor, now)
    taught = {"assessment_ids": _taught(edit), "written_ids": edit.memories_written()}
    edit.update(replaced_at=None)
    reinstate(space=space, retracted_at=latest, actor=actor, now=now, **taught)
    _touch(conversation, said_instead.content, said.content, now)
    return conversation


def _said(space: Space, message_id: UUID) -> Message:
    rows = Message.objects.in_space(space).filter(conversation__deleted_at=None)
    said = rows.filter(pk=message_id, role=Message.Role.USER).first()
    if said is None:
        raise NotFound("User message not found.")
    return said


def _replace(space: Space, rows: MessageQuerySet, actor: Actor, now: datetime) -> None:
    taught, written = _taught(rows), rows.memories_written()
    rows.update(replaced_at=now)
    retract(space=space, assessment_ids=taught, written_ids=written, actor=actor, now=now)


def _taught(rows: MessageQuerySet) -> list[UUID]:
    """Return the assessment ids of these messages."""
    return [pk for pk in rows.values_list("assessment_id", flat=True) if pk]


def _touch(conversation: Conversation, before: str, after: str, now: datetime) -> None:
    """Update the conversation's time; replace a title that was taken from the old text."""
    if conversation.title == title_of(before):
        conversation.title = title_of(after)
    conversation.updated_at, conversation.time_zone = now, zone_name(now)
    Conversation.objects.filter(space_id=conversation.space_id, pk=conversation.pk).update(
        title=conversation.title, updated_at=now, time_zone=conversation.time_zone
    )
