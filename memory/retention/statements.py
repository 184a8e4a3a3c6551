"""Selects the memories to remove, and removes them.

A sweep and its preview use the same queries: `expiring`, `evictable`, `purgeable`. A sweep turns a
query into one statement that changes the rows, and writes an event for each row that it returns:

    chosen    the memories that the query selects, with importance and rank as of now
    locked    those that may still go, locked; rows locked by others are skipped and left to the
              next sweep, so a sweep waits for no row
    held      those that are unchanged since
    gone      the change itself

Every part names the space as a literal, so that one shard can run the whole statement.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import (
    Case,
    CharField,
    Count,
    DateTimeField,
    F,
    IntegerField,
    Q,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Greatest
from django.db.models.lookups import IsNull

from foundation.readers import Reader
from memory.formulas import retention_sql
from memory.formulas.retention import Tiers
from memory.models import Memory
from memory.models.choices import BinReason
from memory.models.dated import succeeded
from memory.models.history import Action
from memory.models.memories import MemoryQuerySet
from memory.policy import DecayPolicy
from memory.retention import erasure
from memory.retention.eviction_order import near_the_front, ranked
from memory.retention.history import GONE, Cause, run_and_record
from memory.retention.sql_parts import compiled, without_memory

TAKEN_BACK_STAYS = timedelta(hours=24)
"""Minimum time for which a restored memory is kept, even if the policy's times are shorter."""

_MEMORY = Memory._meta.db_table

# `locked` sees changes that were committed after `chosen` was read: a use, a new importance or a
# pin in between keeps the memory. It uses no join, because Citus 13.2 misreads the rows of a join
# that locks.
_HELD = f"""
        locked AS MATERIALIZED (
            SELECT id, last_active_at, expires_at FROM {_MEMORY}
            WHERE space_id = %s AND status = 'live' AND NOT pinned
              AND id = ANY(ARRAY(SELECT id FROM chosen))
            FOR UPDATE SKIP LOCKED
        ),
        held AS (
            SELECT locked.id, chosen.current_importance, chosen.rank
            FROM locked JOIN chosen ON locked.id = chosen.id
            WHERE locked.last_active_at IS NOT DISTINCT FROM chosen.last_active_at
              AND locked.expires_at IS NOT DISTINCT FROM chosen.expires_at
        )"""  # noqa: S608 - our own table


def _taken_back(now: datetime) -> Q:
    return Q(restored_at__isnull=False, restored_at__gt=now - TAKEN_BACK_STAYS)


def _time_is_up(now: datetime, expires_at: Combinable) -> Q:
    return Q(retention_sql.is_expired(expires_at, now), pinned=False) & ~_taken_back(now)


def expiring(
    rows: MemoryQuerySet, *, now: datetime, expires_at: Combinable | None = None
) -> MemoryQuerySet:
    """Filter to live memories that have expired (seed 001); a preview gives another
    `expires_at`."""
    return rows.live().filter(_time_is_up(now, expires_at or F("expires_at")))


def unexpired(
    rows: MemoryQuerySet, *, now: datetime, expires_at: Combinable | None = None
) -> MemoryQuerySet:
    """Filter to live memories that `expiring` does not return."""
    return rows.live().exclude(_time_is_up(now, expires_at or F("expires_at")))


def evictable(
    rows: MemoryQuerySet,
    *,
    now: datetime,
    grace_hours: float,
    decay: DecayPolicy,
    tiers: Tiers,
    learn: bool,
    first: int | None = None,
    after: int = 0,
) -> MemoryQuerySet:
    """Return the live memories that may be evicted, with `rank`: 1 is removed first (seed 003,
    section 5).

    Orders by `contested`, which is the current importance, or for a new memory the upper end of its
    tier. Then by current importance, lowest first, and by age, oldest first. A memory is new if it
    was created or restored less than the grace period ago; imported old conversations are not new.
    With `learn`, the effective importance replaces the current one. `first` limits the ranking to
    memories that may be among this many. `after` is the number already removed, at which the ranks
    continue.
    """
    rows = rows.live().exclude(_protected(now))
    new = _new(now, grace_hours)
    if first is not None:
        rows = near_the_front(rows, new, first, decay.floor, learn=learn)
    rows = rows.with_importance_now(decay=decay, now=now)
    return ranked(rows, new, tiers, after, learn=learn)


def _protected(now: datetime) -> Q:
    return Q(pinned=True) | _taken_back(now)


def _new(now: datetime, grace_hours: float) -> Q:
    # Greatest ignores NULL, which is the value of a memory that was never in the bin.
    since = Greatest("created_at", "restored_at", output_field=DateTimeField())
    return Q(retention_sql.in_grace(since, now, grace_hours))


def spared(now: datetime) -> dict[str, Q]:
    """Return conditions for memories protected from eviction, by the first reason as in
    `why_staying`: `pinned`, `taken_back`."""
    return {"pinned": Q(pinned=True), "taken_back": Q(pinned=False) & _taken_back(now)}


def raised(*, now: datetime, grace_hours: float) -> Q:
    """Return the condition for evictable memories that are new, and so count as the upper end of
    their tier."""
    return ~_protected(now) & _new(now, grace_hours)


def why_staying(*, now: datetime, grace_hours: float, expires_at: Combinable) -> Case:
    """An expression for the first reason why a live memory is kept: `pinned`, `taken_back`,
    `young`, `permanent`, or just `alive`."""
    return Case(
        When(pinned=True, then=Value("pinned")),
        When(_taken_back(now), then=Value("taken_back")),
        When(_new(now, grace_hours), then=Value("young")),
        When(IsNull(expires_at, True), then=Value("permanent")),
        default=Value("alive"),
        output_field=CharField(),
    )


def purgeable(rows: MemoryQuerySet, *, now: datetime, bin_days: float) -> MemoryQuerySet:
    """Filter to binned memories whose time in the bin is over. `rows` are all memories of a space:
    a superseded memory stays as long as `rows` contains the memory that superseded it.
    """
    old = rows.binned().filter(binned_at__lte=now - timedelta(days=bin_days))
    return old.exclude(succeeded(rows))


def expire(cause: Cause, *, at_most: int | None = None) -> int:
    """Move expired memories to the bin, the earliest expired first; return their number."""
    rows = expiring(cause.rows, now=cause.now).with_importance_now(
        decay=cause.policy.document.decay, now=cause.now
    )
    unranked = rows.annotate(rank=Cast(Value(None), IntegerField()))
    if at_most is not None:
        unranked = unranked.order_by("expires_at")[:at_most]
    return _move_to_bin(unranked, cause, Action.EXPIRED, BinReason.EXPIRED)


def excess_by_user(rows: MemoryQuerySet, capacity: int) -> dict[str | None, int]:
    """Return the number of live memories above the capacity for each user who exceeds it; the user
    None stands for the shared memories.
    """
    counts = rows.live().values_list("user_id").annotate(n=Count("pk")).order_by("user_id")
    return {user_id: n - capacity for user_id, n in counts.filter(n__gt=capacity)}


def evict(cause: Cause, *, at_most: int | None = None, after: int = 0) -> int:
    """Move the least important memories of each user above the policy's capacity to the bin; return
    their number. `after` is the number removed before in the same sweep."""
    gone = 0
    for user_id, excess in excess_by_user(cause.rows, cause.policy.document.capacity).items():
        left = excess if at_most is None else min(excess, at_most - gone)
        if left > 0:
            gone += _evict_of(cause, user_id, left, after)
    return gone


def _evict_of(cause: Cause, user_id: str | None, count: int, after: int) -> int:
    document = cause.policy.document
    rows = evictable(
        cause.rows.readable_by(Reader.exactly(user_id)),
        now=cause.now,
        grace_hours=document.grace_hours,
        decay=document.decay,
        tiers=document.ttl.tiers,
        learn=document.importance.learn,
        first=count,
        after=after,
    )
    return _move_to_bin(rows[:count], cause, Action.EVICTED, BinReason.OVER_CAPACITY)


def _move_to_bin(rows: MemoryQuerySet, cause: Cause, action: Action, reason: BinReason) -> int:
    columns = ("id", "current_importance", "rank", "last_active_at", "expires_at")
    chosen, chosen_values = compiled(rows.values(*columns))
    statement = f"""
        WITH chosen AS MATERIALIZED ({chosen}),
        {_HELD},
        gone AS (
            UPDATE {_MEMORY} m
            SET status = 'binned', binned_at = %s, bin_reason = %s,
                importance_then = held.current_importance, rank_then = held.rank
            FROM held WHERE m.space_id = %s AND m.id = held.id
            RETURNING m.id, m.user_id, m.bin_reason, m.content, m.importance,
                held.current_importance, held.rank
        )
        {GONE}"""  # noqa: S608 - put together from our own parts; values are parameters
    space_id = cause.space.pk
    values = [*chosen_values, space_id, cause.now, reason.value, space_id]
    return run_and_record(cause, action, statement, values)


def purge(cause: Cause, rows: MemoryQuerySet) -> int:
    """Permanently delete these binned memories, the rows that refer to them, and the copies of
    their text; return their number."""
    rows = rows.with_importance_now(decay=cause.policy.document.decay, now=cause.now)
    columns = ("id", "current_importance")
    held, held_values = compiled(rows.select_for_update(skip_locked=True).values(*columns))
    parts, part_values = without_memory(cause.space)
    statement = f"""
        WITH held AS MATERIALIZED ({held}),
        held_ids AS (SELECT id FROM held),
        {parts}
        {erasure.STATEMENTS}
        gone AS (
            DELETE FROM {_MEMORY} m USING held WHERE m.space_id = %s AND m.id = held.id
            RETURNING m.id, m.user_id, m.bin_reason, '' AS content, m.importance,
                held.current_importance, m.rank_then AS rank
        )
        {GONE}"""  # noqa: S608 - put together from our own parts; values are parameters
    erasing = erasure.statement_values(cause.space)
    values = [*held_values, *part_values, *erasing, cause.space.pk]
    return run_and_record(cause, Action.PURGED, statement, values)
