"""Turns with an Idempotency-Key: a repeated call gets the reply of the first one."""

from collections.abc import Callable
from datetime import datetime

from django.db import connection, transaction

from accounts.models import Space
from chat.models import IdempotentTurn, Message
from chat.replies.turns import answer_again
from foundation.errors import Conflict, NotFound


@transaction.atomic
def begin_once(
    *, space: Space, key: str, now: datetime, learns: bool, begin: Callable[[], Message]
) -> Message:
    """Return the finished reply of this key, or else an empty one for the caller to write.

    A first call begins a turn. After a failed or stopped reply, the same message is answered again.
    Raises Conflict while the reply is being written, or if the conversation has continued without
    it; NotFound if the conversation was deleted.
    """
    _lock_key(space, key)
    turns = IdempotentTurn.objects.filter(
        space_id=space.pk, reply__space_id=space.pk, reply__conversation__space_id=space.pk, key=key
    )
    known = turns.select_related("reply__conversation").first()
    if known is None:
        reply = begin()
        IdempotentTurn.objects.create(space=space, key=key, reply=reply)
        return reply
    if known.reply.conversation.deleted_at is not None:
        raise NotFound("The conversation of this Idempotency-Key was deleted.")
    if known.reply.state == Message.State.DONE:
        return known.reply
    known.reply = _answer_again(space, known.reply, now, learns=learns)
    known.save(update_fields=["reply"])
    return known.reply


def _answer_again(space: Space, reply: Message, now: datetime, *, learns: bool) -> Message:
    last = Message.objects.in_space(space).of(reply.conversation).shown().last()
    if last is None or last.pk != reply.pk:
        raise Conflict("The conversation has continued after the message with this key.")
    return answer_again(
        space=space,
        conversation_id=reply.conversation_id,
        now=now,
        claimed=True,
        learns=learns,
        said_by=reply.said_by,
    )


def _lock_key(space: Space, key: str) -> None:
    """Lock the key until the transaction ends, so that of two simultaneous calls the second finds
    the first.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended('ebb.turn ' || %s, %s))",
            [key, space.pk],
        )
