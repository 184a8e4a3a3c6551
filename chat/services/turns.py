"""Writes of a turn. What a user says is safe before a model is asked anything.

A turn is stored whole at once: the user's message, an empty row for the reply, and the exchange in
the assessor's outbox, due when the reply should long have come. Whatever happens to the reply, the
exchange is judged.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Unpack
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from assessor.judging import Exchange
from assessor.models import Assessment
from assessor.services import queue_assessment, reopen_exchange
from chat.choices import Choices, chosen
from chat.models import REPLY_OVERDUE, Conversation, MemoryUse, Message
from memory.drafts import MAX_CONTENT
from memory.errors import Conflict, NotFound
from memory.models import Space, User
from memory.models.policies import current_policy

TITLE_LENGTH = 60


@dataclass(frozen=True)
class NewConversation:
    """A conversation that begins with a turn: who began it, and what the caller calls it."""

    user: User | None = None
    external_id: str = ""


@transaction.atomic
def begin_turn(
    *,
    space: Space,
    text: str,
    now: datetime,
    conversation: UUID | NewConversation = NewConversation(),
    claimed: bool = False,
    beside: bool = False,
    **choices: Unpack[Choices],
) -> Message:
    """Store what the user said and make room for the reply. Return the reply's row.

    The choices apply to the conversation from here on. A caller that writes the reply itself at
    once has it `claimed`; one that brings its own history may begin `beside` an unfinished reply.
    Raises InvalidArguments, NotFound for a conversation of another space, Conflict while a reply is
    under way.
    """
    made = chosen(choices)
    if isinstance(conversation, NewConversation):
        begun = _begin_conversation(space, conversation, text, now, made)
    else:
        begun = lock_conversation(space, conversation, now, beside=beside)
        for name, value in made.items():
            setattr(begun, name, value)
        Conversation.objects.in_space(space).filter(pk=begun.pk).update(updated_at=now, **made)
    return write_turn(begun, next_position(begun), text, now, claimed=claimed)


def _begin_conversation(
    space: Space, new: NewConversation, text: str, now: datetime, made: dict[str, str]
) -> Conversation:
    return Conversation.objects.create(
        space=space,
        title=title_of(text),
        created_by=new.user,
        created_at=now,
        updated_at=now,
        external_id=new.external_id,
        **made,
    )


@transaction.atomic
def answer_again(
    *, space: Space, conversation_id: UUID, now: datetime, claimed: bool = False
) -> Message:
    """Makes room for another reply to what was said last; the one that stands there is replaced.

    It stays one exchange: its assessment, and with it what it taught, goes to the new reply.
    Raises NotFound, Conflict while a reply is under way or where there is none.
    """
    conversation = lock_conversation(space, conversation_id, now)
    rows = Message.objects.in_space(space).of(conversation)
    replaced = rows.shown().last()
    if replaced is None or replaced.role != Message.Role.ASSISTANT:
        raise Conflict("The conversation has no reply to replace.")
    rows.filter(pk=replaced.pk).update(replaced_at=now, assessment=None)
    Conversation.objects.in_space(space).filter(pk=conversation.pk).update(updated_at=now)
    if replaced.assessment_id is not None:
        due_at = now + REPLY_OVERDUE
        reopen_exchange(space=space, assessment_id=replaced.assessment_id, due_at=due_at)
    return Message.objects.create(
        space=space,
        conversation=conversation,
        role=Message.Role.ASSISTANT,
        state=_state(claimed),
        position=next_position(conversation),
        assessment_id=replaced.assessment_id,
        created_at=now,
    )


def title_of(text: str) -> str:
    """What a conversation is called that begins with this."""
    return " ".join(text.split())[:TITLE_LENGTH]


def lock_conversation(
    space: Space, conversation_id: UUID, now: datetime, *, beside: bool = False
) -> Conversation:
    """The conversation, held against a second turn that begins at once.

    Raises NotFound, Conflict while a reply is under way and nothing may begin `beside` it.
    """
    rows = Conversation.objects.in_space(space)
    conversation = rows.select_for_update().filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound("Conversation not found.")
    messages = Message.objects.in_space(space).of(conversation)
    if not beside and messages.under_way(now).exists():
        raise Conflict("A reply is still being written in this conversation.")
    conversation.space = space
    return conversation


def next_position(conversation: Conversation) -> int:
    """The position of what is said next, after all that was ever said."""
    rows = Message.objects.in_space(conversation.space).of(conversation)
    return (rows.aggregate(last=Max("position"))["last"] or 0) + 1


def write_turn(
    conversation: Conversation, position: int, text: str, now: datetime, *, claimed: bool
) -> Message:
    """The user's message, room for the reply, and the exchange in the outbox; gives the reply."""
    common = {"space": conversation.space, "conversation": conversation, "created_at": now}
    said = Message(role=Message.Role.USER, position=position, content=text, **common)
    reply = Message(
        role=Message.Role.ASSISTANT,
        state=_state(claimed),
        position=position + 1,
        assessment=_queue_exchange(conversation, text, now),
        **common,
    )
    Message.objects.bulk_create([said, reply])
    return reply


def _state(claimed: bool) -> Message.State:
    return Message.State.STREAMING if claimed else Message.State.PENDING


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
