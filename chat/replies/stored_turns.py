"""Stored turns: the part that remains when a reply fails, and a finished reply as events."""

from collections.abc import AsyncGenerator
from dataclasses import replace

from accounts.authentication import Access
from chat.models import Message
from chat.replies.services import Reply
from chat.replies.writing import Done, Event, Recalled, Token
from chat.why.shown_rules import rules_shown


class ReplyFailed(Exception):
    """A turn was stored, but its reply failed. `message` is the stored, incomplete reply."""

    def __init__(self, message: Message, cause: Exception) -> None:
        self.message = message
        self.cause = cause
        super().__init__("The reply failed.")

    @property
    def kept(self) -> dict[str, str]:
        """The ids of what was stored, as JSON."""
        return kept(self.message)


def kept(message: Message) -> dict[str, str]:
    """Return the ids of a stored reply and its conversation, as JSON."""
    return {"conversation_id": str(message.conversation_id), "message_id": str(message.pk)}


async def stored_reply(message: Message, access: Access) -> AsyncGenerator[Event]:
    """Yield the events of a finished reply as if it were being written now for this caller."""
    reply = replace(Reply.of(message), standing=rules_shown(message.standing, access))
    yield Recalled(reply.recalled, reply.standing)
    if reply.content:
        yield Token(reply.content)
    yield Done(reply)
