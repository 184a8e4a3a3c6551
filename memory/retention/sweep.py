"""The sweep: expiring memories, evicting those over capacity, and purging the bin."""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, transaction

from accounts.models import Space
from foundation.actors import SYSTEM, Actor
from foundation.database.locks import lock
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy
from memory.retention import statements
from memory.retention.erasure import erase_copies, redact_sources
from memory.retention.history import Cause
from memory.store import conversations

logger = logging.getLogger(__name__)

TURNS_AT_ONCE = 500


@dataclass(frozen=True)
class Swept:
    """Numbers of memories removed, by kind of removal."""

    expired: int
    evicted: int
    purged: int


def sweep(*, space: Space, now: datetime, actor: Actor = SYSTEM) -> Swept:
    """Expire, evict and purge memories: statements on many rows, each with its history.

    Repeating a sweep with the same time changes nothing. Sweeps of one space run one after the
    other, because each must count the memories that the previous one left. Purging runs in separate
    transactions, because it must lock the turns of conversations before any other row
    (store.conversations).
    """
    with alone(space):
        cause = Cause(space, actor.in_action(), current_policy(space), now)
        expired, evicted = statements.expire(cause), statements.evict(cause)
    bin_days = cause.policy.document.bin_days
    old = statements.purgeable(cause.rows, now=now, bin_days=bin_days)
    purged = 0
    turns_together = old.order_by("source_conversation", "created_at")
    ids = list(turns_together.values_list("pk", flat=True))
    for start in range(0, len(ids), TURNS_AT_ONCE):
        with alone(space):
            purged += purge(cause, old.filter(pk__in=ids[start : start + TURNS_AT_ONCE]))
    return Swept(expired, evicted, purged)


def purge(cause: Cause, rows: MemoryQuerySet, *, with_sources: bool = False) -> int:
    """Permanently delete these binned memories, and remove their text from the index of adjacent
    turns, the history and all other rows; `with_sources` also redacts the messages that they were
    learned from. Return their number."""
    around = conversations.lock_around(cause.space, rows)
    held = rows.select_for_update(skip_locked=True).only("pk", "short_id", "source_assessment")
    memories = list(held)
    if not memories:
        return 0
    if with_sources:
        redact_sources(cause.space, memories, actor=cause.actor, now=cause.now)
    erase_copies(cause.space, memories)
    count = statements.purge(cause, rows.filter(pk__in=[memory.pk for memory in memories]))
    conversations.forget(cause.space, around, language=cause.policy.document.language)
    return count


@contextmanager
def alone(space: Space) -> Iterator[None]:
    """Open a transaction that excludes other sweeps of the space."""
    with transaction.atomic():
        lock(space.pk, "sweep")
        yield


def sweep_all(*, now: datetime, but: Collection[int] = ()) -> None:
    """Sweep every open space except those with these ids, each in separate transactions. An error
    in one space does not stop the others."""
    for space in list(Space.objects.open().exclude(pk__in=but).order_by("pk")):
        try:
            sweep(space=space, now=now)
        except DatabaseError:
            logger.exception("The sweep of space %s failed; the next one tries again", space.slug)
