"""Finds the conversation of a request, and the reply that the request continues.

OpenAI's protocol has no conversations. A request may name one, or its user; otherwise the message
history, which every client sends, identifies the conversation.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import md5
from uuid import UUID

from django.db.models.functions import MD5

from accounts.models import Space
from chat.models import REPLY_OVERDUE, Conversation, ConversationQuerySet, Message, MessageQuerySet
from endpoints.completions.likeness import most_alike
from endpoints.completions.messages import Said
from foundation.readers import Reader

# Maximum number of earlier turns with the same question to compare with the client's history.
COMPARED = 20
MAX_NAME = 200
BROKEN = (Message.State.FAILED, Message.State.STOPPED)


@dataclass(frozen=True)
class Names:
    """The request's conversation (an id or a name) and user; "" if not given. `owner` is the user
    of the space for whom it is answered: only conversations of exactly this user are found."""

    conversation: str
    user: str
    owner: str | None = None

    @property
    def external_id(self) -> str:
        """The stored name of the conversation; "" if the request names nothing."""
        if self.conversation:
            return f"conversation:{self.conversation}"
        return f"user:{self.user}" if self.user else ""


def conversation_in(metadata: object) -> str:
    """Return the conversation's name in a request's `metadata`; "" if there is no usable one."""
    if not isinstance(metadata, dict):
        return ""
    named = [metadata.get(field) for field in ("conversation_id", "chat_id", "thread_id")]
    texts = [name for name in named if isinstance(name, str) and "\x00" not in name]
    return next((name for name in texts if 0 < len(name) <= MAX_NAME), "")


@dataclass(frozen=True)
class Match:
    """The conversation and the reply that the request continues, each if found."""

    conversation: Conversation | None
    reply: Message | None


def find_conversation(*, space: Space, said: Said, names: Names, now: datetime) -> Match:
    """Return the conversation with this id or name, of this user, or with this history."""
    conversation = with_id(space, names)
    if conversation is None:
        conversation = (
            named(space, names) if names.external_id else _with_history(space, names, said, now)
        )
    return Match(conversation, _continued_reply(conversation, said, now) if conversation else None)


def named(space: Space, names: Names) -> Conversation | None:
    """Return the user's conversation with this name, the latest if there are several."""
    rows = _own(space, names).filter(external_id=names.external_id)
    return rows.order_by("-updated_at").first()


def _own(space: Space, names: Names) -> ConversationQuerySet:
    found: ConversationQuerySet = Conversation.objects.in_space(space)
    return found.readable_by(Reader.exactly(names.owner))


def with_id(space: Space, names: Names) -> Conversation | None:
    """Return the user's conversation with this id; None if the name is not an id."""
    with suppress(ValueError):
        return _own(space, names).filter(pk=UUID(names.conversation)).first()
    return None


def _with_history(space: Space, names: Names, said: Said, now: datetime) -> Conversation | None:
    """Return the latest conversation with the request's previous question and answer, or otherwise
    the conversation most similar to its history.

    A request without earlier messages matches only if it continues or repeats a first turn.
    """
    if said.before is not None:
        question, answer = said.before
        turns = _turns_asking(space, names, question)[:COMPARED]
        same = (t.conversation for t in turns if _is_text_of(_reply_to(t), answer))
        return next(same, None) or most_alike(space, _own(space, names), said.history)
    if alike := most_alike(space, _own(space, names), said.history):
        return alike
    first = _turns_asking(space, names, said.text).filter(position=1)
    if not said.goes_on:
        first = first.filter(
            created_at__gt=now - REPLY_OVERDUE,
            conversation__messages__space_id=space.pk,
            conversation__messages__state__in=BROKEN,
        )
    turn = first.first()
    return turn.conversation if turn else None


def _turns_asking(space: Space, names: Names, text: str) -> MessageQuerySet:
    """Return the user's messages with exactly this text, latest first; an index finds its MD5."""
    digest = md5(text.encode(), usedforsecurity=False).hexdigest()
    rows = Message.objects.in_space(space).alias(digest=MD5("content")).filter(digest=digest)
    shown = rows.filter(role="user", replaced_at=None, conversation__deleted_at=None)
    shown = shown.filter(Reader.exactly(names.owner).where("conversation__user_id"))
    return shown.select_related("conversation__space").order_by("-created_at")


def _reply_to(message: Message) -> Message | None:
    conversation = message.conversation
    rows = Message.objects.in_space(conversation.space).of(conversation).shown()
    reply = rows.filter(position__gt=message.position, role="assistant").first()
    if reply is not None:
        # Set as begin_turn does: later code has no database connection.
        reply.conversation, reply.space = conversation, conversation.space
    return reply


def _is_text_of(reply: Message | None, text: str) -> bool:
    """Return whether the client's text is this reply.

    Clients trim the text and omit text before a tool call. They may have received slightly more or
    less of a stopped reply than was stored.
    """
    stored, known = reply.content.strip() if reply else "", text.strip()
    return bool(stored) and (known in stored or stored in known)


def _continued_reply(conversation: Conversation, said: Said, now: datetime) -> Message | None:
    """Return the last reply if the request brings its tool's result, or repeats a
    failed question.
    """
    rows = Message.objects.in_space(conversation.space).of(conversation).shown()
    last = rows.filter(role="user").select_related("conversation__space").last()
    if last is None or last.content != said.text or (reply := _reply_to(last)) is None:
        return None
    is_repeated = reply.state in BROKEN and reply.created_at > now - REPLY_OVERDUE
    return reply if said.goes_on or is_repeated else None
