"""Writes of a conversation. What a user says is safe before a model is asked anything.

A turn is stored whole at once: the user's message, an empty row for the reply, and the exchange in
the assessor's outbox, due when the reply should long have come. Whatever happens to the reply, the
exchange is judged.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from assessor.judging import Exchange
from assessor.services import complete_exchange, queue_assessment
from chat.models import Conversation, Message
from chat.querysets import REPLY_OVERDUE
from memory.actors import Actor
from memory.errors import Conflict, NotFound
from memory.models import Space, User
from memory.querysets.policies import current_policy
from memory.services.memories import mark_used

TITLE_LENGTH = 60


@transaction.atomic
def begin_turn(
    *,
    space: Space,
    text: str,
    now: datetime,
    conversation_id: UUID | None = None,
    user: User | None = None,
) -> Message:
    """Stores what the user said and makes room for the reply; returns the reply's row.

    Raises NotFound for a conversation of another space, Conflict while a reply is under way.
    """
    conversation = _conversation(space, conversation_id, text, user, now)
    last = Message.objects.in_space(space).of(conversation).aggregate(Max("position"))
    position = (last["position__max"] or 0) + 1
    common = {"space": space, "conversation": conversation, "created_at": now}
    Message.objects.create(role=Message.Role.USER, position=position, content=text, **common)
    assessment = None
    if current_policy(space).document.assessment.enabled:
        assessment = queue_assessment(
            space=space,
            exchange=Exchange(text, source_conversation=str(conversation.pk)),
            now=now,
            due_at=now + REPLY_OVERDUE,
        )
    Conversation.objects.filter(space_id=space.pk, pk=conversation.pk).update(updated_at=now)
    return Message.objects.create(
        role=Message.Role.ASSISTANT,
        state=Message.State.PENDING,
        position=position + 1,
        assessment=assessment,
        **common,
    )


def _conversation(
    space: Space, conversation_id: UUID | None, text: str, user: User | None, now: datetime
) -> Conversation:
    """The conversation, held against a second turn that begins at once; or a new one."""
    if conversation_id is None:
        title = " ".join(text.split())[:TITLE_LENGTH]
        return Conversation.objects.create(
            space=space, title=title, created_by=user, created_at=now, updated_at=now
        )
    rows = Conversation.objects.in_space(space).select_for_update()
    conversation = rows.filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound("There is no such conversation.")
    if Message.objects.in_space(space).of(conversation).under_way(now).exists():
        raise Conflict("A reply is still being written in this conversation.")
    return conversation


def claim_reply(*, space: Space, message_id: UUID) -> bool:
    """Whether the caller is the one who writes this reply: true once."""
    pending = Message.objects.in_space(space).filter(pk=message_id, state=Message.State.PENDING)
    return bool(pending.update(state=Message.State.STREAMING))


@dataclass(frozen=True)
class Reply:
    """A reply as it ended."""

    state: str
    content: str
    model: str
    recalled: list[dict[str, Any]]
    memory_ids: list[UUID]
    usage: dict[str, int] | None = None
    error: str = ""


@transaction.atomic
def finish_reply(*, message: Message, reply: Reply, now: datetime) -> None:
    """Stores the reply, counts the memories it was given as used, releases the exchange.

    Only the first end of a reply counts: one whose reader left while it was stored stays done.
    """
    open_reply = Message.objects.filter(
        space_id=message.space_id, pk=message.pk, state=Message.State.STREAMING
    )
    ended = open_reply.update(
        state=reply.state,
        content=reply.content,
        model=reply.model,
        recalled=reply.recalled,
        usage=reply.usage,
        error=reply.error,
    )
    if not ended:
        return
    mark_used(
        space=message.space,
        memory_ids=reply.memory_ids,
        actor=Actor("assistant", reply.model),
        now=now,
        reason=f"conversation {message.conversation_id}",
    )
    if message.assessment_id is not None:
        complete_exchange(
            space=message.space,
            assessment_id=message.assessment_id,
            assistant_response=reply.content,
            now=now,
        )


def delete_conversation(*, space: Space, conversation_id: UUID, now: datetime) -> None:
    """Takes a conversation off the list; raises NotFound."""
    rows = Conversation.objects.in_space(space).filter(pk=conversation_id)
    if not rows.update(deleted_at=now):
        raise NotFound("There is no such conversation.")
