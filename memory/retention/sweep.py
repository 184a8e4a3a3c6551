"""The sweep: expiring memories, evicting those over capacity, and purging the bin."""

import logging
from collections.abc import Callable
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

BATCH = 1000
"""Memories of a batch, which keeps the memory of the process and the locks small."""


@dataclass(frozen=True)
class Swept:
    """Numbers of memories removed, by kind of removal."""

    expired: int
    evicted: int
    purged: int


def sweep(*, space: Space, now: datetime, actor: Actor = SYSTEM) -> Swept:
    """Expire, evict and purge memories in batches, each a transaction with its history.

    Repeating a sweep with the same time changes nothing. A batch excludes other sweeps of the
    space, because each must count the memories that the one before left. Batches of purged memories
    must lock the turns of conversations before any other row (store.conversations).
    """
    cause = Cause(space, actor.in_action(), current_policy(space), now)
    return Swept(
        expired=_in_batches(cause, lambda _gone: statements.expire(cause, at_most=BATCH)),
        evicted=_in_batches(cause, lambda gone: statements.evict(cause, at_most=BATCH, after=gone)),
        purged=_in_batches(cause, lambda _gone: _purge_old(cause)),
    )


def _in_batches(cause: Cause, remove: Callable[[int], int]) -> int:
    """Call `remove` with the number of memories removed so far until a batch is not full; return
    the number of all."""
    gone = 0
    while True:
        with transaction.atomic():
            lock(cause.space.pk, "sweep")
            batch = remove(gone)
        gone += batch
        if batch < BATCH:
            return gone


def _purge_old(cause: Cause) -> int:
    days = cause.policy.document.bin_days
    old = statements.purgeable(cause.rows, now=cause.now, bin_days=days)
    turns_together = old.order_by("source_conversation", "created_at")
    ids = list(turns_together.values_list("pk", flat=True)[:BATCH])
    return purge(cause, cause.rows.binned().filter(pk__in=ids)) if ids else 0


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


def sweep_all(*, now: datetime) -> None:
    """Sweep every open space. An error in one does not stop the others."""
    for space in list(Space.objects.open().order_by("pk")):
        try:
            sweep(space=space, now=now)
        except DatabaseError:
            logger.exception("The sweep of space %s failed; the next one tries again", space.slug)
