"""Leases of replies, so that a reply does not stay unfinished if its web process dies.

The process that writes a reply leases its row, by the database's clock, and renews the lease. Beat
stops the replies whose lease has expired.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

from django.db import Error
from django.db.models import Q

from chat.models import REPLY_OVERDUE, UNFINISHED, Message
from chat.replies.services import LEASE, Reply, claim_reply, finish_reply, lease_end
from foundation.database.connections import in_thread

logger = logging.getLogger(__name__)

STOPPED_AT_ONCE = 100
"""Maximum number of replies that one call of `stop_abandoned` stops."""


def renew_reply(message: Message) -> None:
    """Renew the lease of a reply that is still being written."""
    rows = Message.objects.filter(
        space_id=message.space_id, pk=message.pk, state=Message.State.STREAMING
    )
    rows.update(leased_until=lease_end())


async def keep_renewing(message: Message) -> None:
    """Renew the reply's lease until the task is cancelled, also after a database error."""
    while True:
        await asyncio.sleep(LEASE.total_seconds() / 6)
        try:
            await in_thread(renew_reply, message)
        except Error as error:
            logger.warning("The lease on the reply %s was not renewed: %s", message.pk, error)


@asynccontextmanager
async def renewed(message: Message) -> AsyncIterator[None]:
    """Renew the reply's lease while the block runs."""
    renewing = asyncio.create_task(keep_renewing(message))
    try:
        yield
    finally:
        renewing.cancel()


def stop_abandoned(*, now: datetime) -> int:
    """Stop the replies that no process is writing any more, and release their exchanges.

    Returns their number. A reply without a lease is stopped when it is overdue.
    """
    expired = Q(leased_until__lt=now) | Q(leased_until=None, created_at__lt=now - REPLY_OVERDUE)
    rows = Message.objects.filter(UNFINISHED, expired).select_related("space")
    found = list(rows.order_by("created_at")[:STOPPED_AT_ONCE])
    for message in found:
        if message.state == Message.State.PENDING:
            claim_reply(space=message.space, message_id=message.pk)
        stopped = replace(Reply.of(message), state=Message.State.STOPPED)
        finish_reply(message=message, reply=stopped, now=now)
    return len(found)
