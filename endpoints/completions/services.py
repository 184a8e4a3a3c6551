"""Database writes of the OpenAI-compatible API: begin or resume an exchange."""

from datetime import datetime
from typing import Unpack

from django.db import transaction

from accounts.models import Space
from chat.choices import Choices
from chat.models import Message
from chat.replies.services import resume_reply
from chat.replies.turns import NewConversation, begin_turn
from endpoints.completions.conversation_lookup import Names, find_conversation, named
from endpoints.completions.messages import Said
from foundation.database.locks import lock


@transaction.atomic
def begin_exchange(
    *, space: Space, said: Said, names: Names, now: datetime, learns: bool = True,
    **choices: Unpack[Choices],
) -> Message:  # fmt: skip
    """Return the reply's row for the caller to write: the continued one, or a new one.

    Two simultaneous requests in one conversation are both answered; each is its own turn.
    """
    match = find_conversation(space=space, said=said, names=names, now=now)
    if match.reply is not None and resume_reply(space=space, message_id=match.reply.pk):
        return match.reply
    conversation = match.conversation
    if conversation is None and names.external_id:
        _lock_names(space)
        conversation = named(space, names)
    new = NewConversation(None, names.external_id, names.owner)
    return begin_turn(
        space=space,
        text=said.text,
        now=now,
        conversation=conversation.pk if conversation else new,
        claimed=True,
        beside=True,
        learns=learns,
        **choices,
    )


def _lock_names(space: Space) -> None:
    """Lock the names of the space's conversations until the transaction ends."""
    lock(space.pk, "conversation names")
