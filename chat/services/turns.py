"""Writes of a turn. What a user says is safe before a model is asked anything.

A turn is stored whole at once: the user's message, an empty row for the reply, and the exchange in
the assessor's outbox, due when the reply should long have come. Whatever happens to the reply, the
exchange is judged.
"""

from datetime import datetime
from typing import Unpack
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from assessor.judging import Exchange
from assessor.models import Assessment
from assessor.services import queue_assessment
from chat.choices import Choices, chosen
from chat.models import Conversation, MemoryUse, Message
from chat.querysets import REPLY_OVERDUE
from memory.drafts import MAX_CONTENT
from memory.errors import Conflict, NotFound
from memory.models import Space, User
from memory.querysets.policies import current_policy

TITLE_LENGTH = 60


@transaction.atomic
def begin_turn(
    *,
    space: Space,
    text: str,
    now: datetime,
    conversation_id: UUID | None = None,
    user: User | None = None,
    external_id: str = "",
    claimed: bool = False,
    beside: bool = False,
    **choices: Unpack[Choices],
) -> Message:
    """Stores what the user said and makes room for the reply; returns the reply's row.

    What is chosen holds for the conversation from here on; `external_id` is what the caller calls a
    new one. A caller that writes the reply itself at once has it `claimed`; one that brings its own
    history may begin `beside` a reply that is under way.
    Raises InvalidArguments, NotFound for a conversation of another space, Conflict while a reply is
    under way.
    """
    made = chosen(choices)
    if conversation_id is None:
        made["external_id"] = external_id
        conversation, position = _new_conversation(space, text, user, made, now), 1
    else:
        conversation, position = _continued(space, conversation_id, made, beside, now)
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
    space: Space, text: str, user: User | None, made: dict[str, str], now: datetime
) -> Conversation:
    return Conversation.objects.create(
        space=space,
        title=" ".join(text.split())[:TITLE_LENGTH],
        created_by=user,
        created_at=now,
        updated_at=now,
        **made,
    )


def _continued(
    space: Space, conversation_id: UUID, made: dict[str, str], beside: bool, now: datetime
) -> tuple[Conversation, int]:
    """The conversation, held against a second turn that begins at once, and its next position."""
    rows = Conversation.objects.in_space(space)
    conversation = rows.select_for_update().filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound("There is no such conversation.")
    messages = Message.objects.in_space(space).of(conversation)
    if not beside and messages.under_way(now).exists():
        raise Conflict("A reply is still being written in this conversation.")
    for name, value in made.items():
        setattr(conversation, name, value)
    rows.filter(pk=conversation.pk).update(updated_at=now, **made)
    return conversation, (messages.aggregate(last=Max("position"))["last"] or 0) + 1


def _queue_exchange(conversation: Conversation, text: str, now: datetime) -> Assessment | None:
    """Puts the exchange into the outbox, if the conversation and the space want it judged."""
    space = conversation.space
    if conversation.memory != MemoryUse.ON or not current_policy(space).document.assessment.enabled:
        return None
    return queue_assessment(
        space=space,
        # Programs say more at once than a person types; no memory is longer than this.
        exchange=Exchange(text[:MAX_CONTENT], source_conversation=str(conversation.pk)),
        now=now,
        due_at=now + REPLY_OVERDUE,
    )
