"""Letting go: what has expired, what is over capacity, what the bin has kept for long enough."""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, connection, transaction

from memory.actors import SYSTEM, Actor
from memory.models import Space
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy
from memory.retention import statements
from memory.store import conversations

logger = logging.getLogger(__name__)

TURNS_AT_ONCE = 500


@dataclass(frozen=True)
class Swept:
    """How many memories went, and how."""

    expired: int
    evicted: int
    purged: int


def sweep(*, space: Space, now: datetime, actor: Actor = SYSTEM) -> Swept:
    """Expiry, then capacity, then the bin: statements on many rows, each with its history.

    Doing it again at the same moment changes nothing. Sweeps of one space go one after the other:
    each must count what the one before it has left. The bin has transactions of its own, because
    who purges turns of a conversation must hold nothing else before (store.conversations).
    """
    with alone(space):
        cause = statements.Cause(space, actor.in_action(), current_policy(space), now)
        expired, evicted = statements.expire(cause), statements.evict(cause)
    bin_days = cause.policy.document.bin_days
    old = statements.purgeable(cause.rows, now=now, bin_days=bin_days)
    with alone(space):
        purged = statements.purge(cause, old.filter(source_conversation=""))
        turns = old.exclude(source_conversation="").order_by("source_conversation", "created_at")
        ids = list(turns.values_list("pk", flat=True))
    for start in range(0, len(ids), TURNS_AT_ONCE):
        with alone(space):
            purged += purge(cause, old.filter(pk__in=ids[start : start + TURNS_AT_ONCE]))
    return Swept(expired, evicted, purged)


def purge(cause: statements.Cause, rows: MemoryQuerySet) -> int:
    """Deletes these binned memories, and their words from the index of the turns around them.

    How many. Their content stays in the history.
    """
    around = conversations.lock_around(cause.space, rows)
    count = statements.purge(cause, rows)
    conversations.forget(cause.space, around, language=cause.policy.document.language)
    return count


@contextmanager
def alone(space: Space) -> Iterator[None]:
    """A transaction beside which there is no other sweep of the space."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended('ebb.sweep', %s))", [space.pk]
        )
        yield


def sweep_all(*, now: datetime, but: Collection[int] = ()) -> None:
    """Sweeps every open space but those with these ids, each in transactions of its own; one that
    fails stops no other."""
    for space in list(Space.objects.open().exclude(pk__in=but).order_by("pk")):
        try:
            sweep(space=space, now=now)
        except DatabaseError:
            logger.exception("The sweep of space %s failed; the next one tries again", space.slug)
