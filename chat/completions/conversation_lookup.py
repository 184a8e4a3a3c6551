"""Finds the conversation that a request belongs to, and the reply that it continues.

OpenAI's protocol has no conversations. A request may name one, or its user; one that names neither
is recognised by its history, which every client sends along.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import md5
from uuid import UUID

from django.db.models.functions import MD5

from chat.completions.messages import Said
from chat.models import REPLY_OVERDUE, Conversation, Message, MessageQuerySet
from memory.models import Space

# At most so many earlier turns with the same question are compared with the client's history.
COMPARED = 20
BROKEN = (Message.State.FAILED, Message.State.STOPPED)


@dataclass(frozen=True)
class Names:
    """What a request calls its conversation (an id or a name) and its user; "" unsaid."""

    conversation: str
    user: str

    @property
    def external_id(self) -> str:
        """The name that the conversation is stored by; "" if the request names nothing."""
        if self.conversation:
            return f"conversation:{self.conversation}"
        return f"user:{self.user}" if self.user else ""


@dataclass(frozen=True)
class Match:
    """The conversation, if it exists, and the reply that the request continues, if it does."""

    conversation: Conversation | None
    reply: Message | None


def find_conversation(*, space: Space, said: Said, names: Names, now: datetime) -> Match:
    """Returns the conversation of this id or name, or of this user, or else with this history."""
    conversation = _with_id(space, names.conversation)
    if conversation is None:
        conversation = (
            named(space, names.external_id)
            if names.external_id
            else _with_history(space, said, now)
        )
    return Match(conversation, _continued_reply(conversation, said, now) if conversation else None)


def named(space: Space, external_id: str) -> Conversation | None:
    """Returns the conversation of this name; of several the one spoken in last."""
    rows = Conversation.objects.in_space(space).filter(external_id=external_id)
    return rows.order_by("-updated_at").first()


def _with_id(space: Space, text: str) -> Conversation | None:
    with suppress(ValueError):
        return Conversation.objects.in_space(space).filter(pk=UUID(text)).first()
    return None


def _with_history(space: Space, said: Said, now: datetime) -> Conversation | None:
    """The latest conversation where the question before the last had the answer the client knows.

    A request without an earlier answer belongs to a conversation only if it continues or repeats
    that conversation's first turn.
    """
    if said.before is not None:
        question, answer = said.before
        turns = _turns_asking(space, question)[:COMPARED]
        return next((t.conversation for t in turns if _is_text_of(_reply_to(t), answer)), None)
    first = _turns_asking(space, said.text).filter(position=1)
    if not said.goes_on:
        first = first.filter(
            created_at__gt=now - REPLY_OVERDUE,
            conversation__messages__space_id=space.pk,
            conversation__messages__state__in=BROKEN,
        )
    turn = first.first()
    return turn.conversation if turn else None


def _turns_asking(space: Space, text: str) -> MessageQuerySet:
    """The users' messages with exactly this text, the latest first; an index finds its MD5."""
    digest = md5(text.encode(), usedforsecurity=False).hexdigest()
    rows = Message.objects.in_space(space).alias(digest=MD5("content")).filter(digest=digest)
    shown = rows.filter(role="user", replaced_at=None, conversation__deleted_at=None)
    return shown.select_related("conversation__space").order_by("-created_at")


def _reply_to(message: Message) -> Message | None:
    conversation = message.conversation
    rows = Message.objects.in_space(conversation.space).of(conversation).shown()
    reply = rows.filter(position__gt=message.position, role="assistant").first()
    if reply is not None:
        # As begin_turn returns it: what follows has no database at hand.
        reply.conversation, reply.space = conversation, conversation.space
    return reply


def _is_text_of(reply: Message | None, text: str) -> bool:
    """Whether the client's text is this reply. Clients trim it, leave out what stood before a
    tool's call, and of a reply that was stopped they may know a word more or less than we.
    """
    stored, known = reply.content.strip() if reply else "", text.strip()
    return bool(stored) and (known in stored or stored in known)


def _continued_reply(conversation: Conversation, said: Said, now: datetime) -> Message | None:
    """The last reply, if the request brings a tool's answer for it, or repeats the question because
    the reply had failed.
    """
    rows = Message.objects.in_space(conversation.space).of(conversation).shown()
    last = rows.filter(role="user").select_related("conversation__space").last()
    if last is None or last.content != said.text or (reply := _reply_to(last)) is None:
        return None
    is_repeated = reply.state in BROKEN and reply.created_at > now - REPLY_OVERDUE
    return reply if said.goes_on or is_repeated else None
