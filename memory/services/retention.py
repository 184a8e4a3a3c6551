"""Letting go: what has expired, what is over capacity, what the bin has kept for long enough."""

import logging
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, connection, transaction

from memory.actors import SYSTEM, Actor
from memory.models import Space
from memory.querysets import retention
from memory.querysets.policies import current_policy

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Swept:
    """How many memories went, and how."""

    expired: int
    evicted: int
    purged: int


@transaction.atomic
def sweep(*, space: Space, now: datetime, actor: Actor = SYSTEM) -> Swept:
    """Expiry, then capacity, then the bin: one statement each, with its history.

    Doing it again at the same moment changes nothing. Sweeps of one space go one after the other:
    each must count what the one before it has left.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended('ebb.sweep', %s))", [space.pk]
        )
    policy = current_policy(space)
    cause = retention.Cause(space, actor, policy, now)
    expired = retention.expire(cause)
    evicted = retention.evict(cause)
    old = retention.purgeable(cause.rows, now=now, bin_days=policy.document.bin_days)
    return Swept(expired, evicted, retention.purge(cause, old))


def sweep_all(*, now: datetime) -> None:
    """Sweeps every space, each in a transaction of its own; one that fails stops no other."""
    for space in list(Space.objects.order_by("pk")):
        try:
            sweep(space=space, now=now)
        except DatabaseError:
            logger.exception("The sweep of space %s failed; the next one tries again", space.slug)
