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
from assessor.models import Assessment
from assessor.services import complete_exchange, queue_assessment
from chat.models import Conversation, MemoryUse, Message
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
    memory: str | None = None,
    claimed: bool = False,
) -> Message:
    """Stores what the user said and makes room for the reply; returns the reply's row.

    `memory` (a MemoryUse) holds for the conversation from here on. A caller that writes the reply
    itself at once has it `claimed`.
    Raises NotFound for a conversation of another space, Conflict while a reply is under way.
    """
    if conversation_id is None:
        conversation, position = _new_conversation(space, text, user, memory, now), 1
    else:
        conversation, position = _continued(space, conversation_id, memory, now)
    common = {"space": space, "conversation": conversation, "created_at": now}
    said = Message(role=Message.Role.USER, position=position, content=text, **common)
    reply = Message(
        role=Message.Role.ASSISTANT,
        state=Message.State.STREAMING if claimed else Message.State.PENDING,
        position=position + 1,
        assessment=_queue_exchange(conversation, text, now),
        **common,
    )
    Message.objects.bulk_create([said, reply])
    return reply


def _new_conversation(
    space: Space, text: str, user: User | None, memory: str | None, now: datetime
) -> Conversation:
    return Conversation.objects.create(
        space=space,
        title=" ".join(text.split())[:TITLE_LENGTH],
        created_by=user,
        memory=memory or MemoryUse.ON,
        created_at=now,
        updated_at=now,
    )


def _continued(
    space: Space, conversation_id: UUID, memory: str | None, now: datetime
) -> tuple[Conversation, int]:
    """The conversation, held against a second turn that begins at once, and its next position."""
    rows = Conversation.objects.in_space(space)
    conversation = rows.select_for_update().filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound("There is no such conversation.")
    messages = Message.objects.in_space(space).of(conversation)
    if messages.under_way(now).exists():
        raise Conflict("A reply is still being written in this conversation.")
    conversation.memory = memory or conversation.memory
    rows.filter(pk=conversation.pk).update(updated_at=now, memory=conversation.memory)
    return conversation, (messages.aggregate(last=Max("position"))["last"] or 0) + 1


def _queue_exchange(conversation: Conversation, text: str, now: datetime) -> Assessment | None:
    """Puts the exchange into the outbox, if the conversation and the space want it judged."""
    space = conversation.space
    if conversation.memory != MemoryUse.ON or not current_policy(space).document.assessment.enabled:
        return None
    return queue_assessment(
        space=space,
        exchange=Exchange(text, source_conversation=str(conversation.pk)),
        now=now,
        due_at=now + REPLY_OVERDUE,
    )


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
    if reply.memory_ids:
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
