"""Where a request belongs: in which conversation, and whether it goes on with a turn of it."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import md5
from uuid import UUID

from django.db.models.functions import MD5

from chat.completions.messages import Said
from chat.models import REPLY_OVERDUE, Conversation, Message, MessageQuerySet
from memory.models import Space

# Of so many turns that begin with the same words the latest are compared with the client's history.
COMPARED = 20
BROKEN = (Message.State.FAILED, Message.State.STOPPED)


@dataclass(frozen=True)
class Names:
    """What a request calls its conversation (an id or a name) and its user; "" unsaid."""

    conversation: str
    user: str


@dataclass(frozen=True)
class Match:
    """The conversation, if it exists, and the reply that the request goes on with, if it does.

    One that has to be made is called `external_id`.
    """

    conversation: Conversation | None
    reply: Message | None
    external_id: str


def find_conversation(*, space: Space, said: Said, names: Names, now: datetime) -> Match:
    """The conversation is chosen by its id or name, else by the user's, else by the history: the
    latest in which the user's message before the last one was answered as the client says.
    """
    rows = Conversation.objects.in_space(space)
    found = rows.filter(pk=known).first() if (known := _uuid(names.conversation)) else None
    external_id = f"conversation:{names.conversation}" if names.conversation else ""
    external_id = external_id or (f"user:{names.user}" if names.user else "")
    if found is None and external_id:
        found = named(space, external_id)
    elif found is None:
        found = _by_history(space, said, now)
    return Match(found, _same_turn(space, found, said, now) if found else None, external_id)


def named(space: Space, external_id: str) -> Conversation | None:
    """The conversation that a client calls so; of several (one was taken back from deletion) the
    one spoken in last.
    """
    rows = Conversation.objects.in_space(space).filter(external_id=external_id)
    return rows.order_by("-updated_at").first()


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _by_history(space: Space, said: Said, now: datetime) -> Conversation | None:
    if said.before is None:
        return _begun(space, said, now)
    asked, answered = said.before
    turns = _who_said(space, asked)[:COMPARED]
    return next((row.conversation for row in turns if _is(_reply_to(row), answered)), None)


def _begun(space: Space, said: Said, now: datetime) -> Conversation | None:
    """The conversation whose first turn this is, if the client goes on with it or asks again."""
    first = _who_said(space, said.text).filter(position=1)
    if not said.goes_on:
        first = first.filter(
            created_at__gt=now - REPLY_OVERDUE,
            conversation__messages__space_id=space.pk,
            conversation__messages__state__in=BROKEN,
        )
    row = first.first()
    return row.conversation if row else None


def _who_said(space: Space, text: str) -> MessageQuerySet:
    """The messages of users with these very words, the latest first."""
    digest = md5(text.encode(), usedforsecurity=False).hexdigest()
    rows = Message.objects.in_space(space).alias(digest=MD5("content")).filter(digest=digest)
    shown = rows.filter(role="user", replaced_at=None, conversation__deleted_at=None)
    return shown.select_related("conversation__space").order_by("-created_at")


def _reply_to(message: Message) -> Message | None:
    conversation = message.conversation
    rows = Message.objects.in_space(conversation.space).of(conversation).filter(replaced_at=None)
    reply = rows.filter(position__gt=message.position, role="assistant").first()
    if reply is not None:
        # As begin_turn returns it: what follows has no database at hand.
        reply.conversation, reply.space = conversation, conversation.space
    return reply


def _is(reply: Message | None, text: str) -> bool:
    """Whether the client's text is this reply. Clients trim it, leave out what stood before a
    tool's call, and of a reply that was stopped they may know a word more or less than we.
    """
    stored, known = reply.content.strip() if reply else "", text.strip()
    return bool(stored) and (known in stored or stored in known)


def _same_turn(
    space: Space, conversation: Conversation, said: Said, now: datetime
) -> Message | None:
    """The reply that the request goes on with: a tool has answered, or the reply had failed and the
    same is asked again.
    """
    rows = Message.objects.in_space(space).of(conversation).filter(replaced_at=None)
    last = rows.filter(role="user").select_related("conversation__space").last()
    if last is None or last.content != said.text or (reply := _reply_to(last)) is None:
        return None
    if said.goes_on:
        return reply
    return reply if reply.state in BROKEN and reply.created_at > now - REPLY_OVERDUE else None
