"""Database writes of a turn. The user's message is stored before a model is asked.

One transaction stores a turn: the user's message, an empty row for the reply, and the exchange in
the assessor's outbox. The exchange is due when the reply is overdue, so it is assessed even if the
reply fails.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Unpack
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.text import Truncator

from accounts.models import Space, User
from assessor.assessing import Exchange
from assessor.models import Assessment
from assessor.outbox.services import queue_assessment, reopen_exchange
from chat.choices import Choices, chosen
from chat.models import REPLY_OVERDUE, Conversation, MemoryUse, Message
from chat.replies.services import lease_end
from chat.text.markdown import to_text
from foundation.errors import Conflict, NotFound
from foundation.moments import zone_name
from memory.drafts import MAX_CONTENT
from memory.models.policies import current_policy

TITLE_LENGTH = 60
TITLE_SOURCE = 500
"""Number of characters of a message from which its title is made."""


@dataclass(frozen=True)
class NewConversation:
    """A conversation to create with a turn: its creator, the caller's name for it, and the user of
    the space for whom it recalls and learns.
    """

    user: User | None = None
    external_id: str = ""
    user_id: str | None = None


@transaction.atomic
def begin_turn(
    *,
    space: Space,
    text: str,
    now: datetime,
    conversation: UUID | NewConversation = NewConversation(),
    claimed: bool = False,
    beside: bool = False,
    learns: bool = True,
    said_by: str | None = None,
    **choices: Unpack[Choices],
) -> Message:
    """Store the user's message and an empty reply. Return the reply's row.

    `now` is in the zone of the person. The choices apply to the conversation from now on. A caller
    that writes the reply at once passes `claimed`; one with its own history may begin `beside` an
    unfinished reply. Unless it `learns`, the turn teaches nothing. `said_by` speaks, else the
    conversation's user. Raises InvalidArguments, NotFound, Conflict while a reply is being written.
    """
    made = chosen(choices)
    if isinstance(conversation, NewConversation):
        begun, position = _begin_conversation(space, conversation, text, now, made), 1
    else:
        begun = lock_conversation(space, conversation, now, beside=beside)
        _spoken_in(begun, now, **made)
        position = next_position(begun)
    only_read(begun, unless=learns)
    return write_turn(begun, position, text, now, claimed=claimed, said_by=said_by)


def _begin_conversation(
    space: Space, new: NewConversation, text: str, now: datetime, made: dict[str, str]
) -> Conversation:
    return Conversation.objects.create(
        space=space,
        title=title_of(text),
        created_by=new.user,
        created_at=now,
        updated_at=now,
        time_zone=zone_name(now),
        external_id=new.external_id,
        user_id=new.user_id,
        **made,
    )


def _spoken_in(conversation: Conversation, now: datetime, **made: str) -> None:
    """Set the time and the zone of the conversation's latest turn, and these settings."""
    conversation.time_zone = zone_name(now)
    for name, value in made.items():
        setattr(conversation, name, value)
    rows = Conversation.objects.in_space(conversation.space).filter(pk=conversation.pk)
    rows.update(updated_at=now, time_zone=conversation.time_zone, **made)


def only_read(conversation: Conversation, *, unless: bool) -> None:
    """Make memory read-only for this turn only; the stored conversation keeps its setting."""
    if conversation.memory == MemoryUse.ON and not unless:
        conversation.memory = MemoryUse.READ_ONLY


@transaction.atomic
def answer_again(
    *, space: Space, conversation_id: UUID, now: datetime, claimed: bool = False,
    learns: bool = True, said_by: str | None = None,
) -> Message:  # fmt: skip
    """Create an empty reply to the last message in place of the current one, for `said_by`.

    Unless it `learns`, the model's tools save nothing. The exchange stays the same: its assessment
    and memories belong to the new reply. Raises NotFound, or Conflict if there is no reply.
    """
    conversation = lock_conversation(space, conversation_id, now)
    only_read(conversation, unless=learns)
    rows = Message.objects.in_space(space).of(conversation)
    replaced = rows.shown().last()
    if replaced is None or replaced.role != Message.Role.ASSISTANT:
        raise Conflict("The conversation has no reply to replace.")
    rows.filter(pk=replaced.pk).update(replaced_at=now, assessment=None)
    _spoken_in(conversation, now)
    if replaced.assessment_id is not None:
        due_at = now + REPLY_OVERDUE
        reopen_exchange(space=space, assessment_id=replaced.assessment_id, due_at=due_at)
    return Message.objects.create(
        space=space,
        conversation=conversation,
        role=Message.Role.ASSISTANT,
        **_begun(claimed),
        said_by=said_by or conversation.user_id,
        position=next_position(conversation),
        assessment_id=replaced.assessment_id,
        created_at=now,
    )


def title_of(text: str) -> str:
    """Return the title of a conversation that begins with this text, without Markdown; a long title
    ends with "…".
    """
    beginning = text.strip()[:TITLE_SOURCE]
    return Truncator(to_text(beginning) or " ".join(beginning.split())).chars(TITLE_LENGTH)


def lock_conversation(
    space: Space, conversation_id: UUID, now: datetime, *, beside: bool = False
) -> Conversation:
    """Return the conversation, locked against a concurrent turn.

    Raises NotFound, or Conflict while a reply is being written, unless `beside`.
    """
    rows = Conversation.objects.in_space(space)
    conversation = rows.select_for_update().filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound("Conversation not found.")
    messages = Message.objects.in_space(space).of(conversation)
    if not beside and messages.under_way(now).exists():
        raise Conflict("A reply is still being written. Try again when it is complete.")
    conversation.space = space
    return conversation


def next_position(conversation: Conversation) -> int:
    """Return the position after all messages of the conversation, including replaced ones."""
    rows = Message.objects.in_space(conversation.space).of(conversation)
    return (rows.aggregate(last=Max("position"))["last"] or 0) + 1


def write_turn(
    conversation: Conversation,
    position: int,
    text: str,
    now: datetime,
    *,
    claimed: bool,
    said_by: str | None,
) -> Message:
    """Store the user's message, an empty reply and the exchange; return the reply."""
    said_by = said_by or conversation.user_id
    common: dict[str, Any] = {
        "space": conversation.space,
        "conversation": conversation,
        "created_at": now,
        "said_by": said_by,
    }
    said = Message(role=Message.Role.USER, position=position, content=text, **common)
    reply = Message(
        role=Message.Role.ASSISTANT,
        **_begun(claimed),
        position=position + 1,
        assessment=_queue_exchange(conversation, text, now, said_by),
        **common,
    )
    Message.objects.bulk_create([said, reply])
    return reply


def _begun(claimed: bool) -> dict[str, Any]:
    """Return the state of a new reply, leased if its caller writes it at once."""
    if claimed:
        return {"state": Message.State.STREAMING, "leased_until": lease_end()}
    return {"state": Message.State.PENDING}


def _queue_exchange(
    conversation: Conversation, text: str, now: datetime, said_by: str | None
) -> Assessment | None:
    """Queue the exchange for assessment if the conversation and the policy enable learning."""
    space = conversation.space
    if conversation.memory != MemoryUse.ON or not current_policy(space).document.assessment.enabled:
        return None
    return queue_assessment(
        space=space,
        # Programs may send more text than a person types; a memory's length is limited to this.
        exchange=Exchange(
            text[:MAX_CONTENT],
            source_conversation=str(conversation.pk),
            user_id=conversation.user_id,
            said_by=said_by,
            agent_id=conversation.agent_id,
            session_id=conversation.session_id,
        ),
        now=now,
        due_at=now + REPLY_OVERDUE,
    )
