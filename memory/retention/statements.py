"""Selection of the memories to remove, and the statements that remove them.

A sweep and its preview use the same queries: `expiring`, `evictable`, `purgeable`. A sweep turns a
query into one statement that changes the rows and writes their history:

    chosen    the memories that the query selects, with importance and rank as of now
    held      those that are unchanged since, locked; rows locked by others are skipped and left
              to the next sweep, so a sweep waits for no row
    gone      the change itself
    insert    one event for each row in `gone`, and for nothing else

Every part names the space as a literal, so that one shard can run it all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, models
from django.db.models import Case, CharField, DateTimeField, F, IntegerField, Q, Value, When, Window
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Greatest, RowNumber
from django.db.models.lookups import IsNull

from memory.actors import Actor
from memory.formulas import retention_sql
from memory.models import Memory, MemoryEvent, Space
from memory.models.history import Action
from memory.models.memories import BinReason, MemoryQuerySet
from memory.models.policies import Policy
from memory.policy import DecayPolicy

TAKEN_BACK_STAYS = timedelta(hours=24)
"""Minimum time for which a restored memory is kept, even if the policy's times are shorter."""

_ROUNDING = 1e-9

_MEMORY = Memory._meta.db_table
_EVENT = MemoryEvent._meta.db_table


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
    first: int | None = None,
    after: int = 0,
) -> MemoryQuerySet:
    """Return the live memories that may be evicted, with `rank`: 1 is removed first (seed 003,
    section 5).

    Orders by current importance, least first, then by age, oldest first. A memory is young if it
    was created or restored less than the grace period ago; imported old conversations are not
    young. `first` limits the ranking to memories that may be among this many. `after` is the number
    removed before, where the rank continues.
    """
    rows = rows.live().exclude(_protected(now, grace_hours))
    if first is not None:
        rows = _near_the_front(rows, first, decay.floor)
    rank = Window(
        RowNumber(),
        partition_by=F("space_id"),
        order_by=[F("current_importance"), F("created_at"), F("id")],
    )
    rows = rows.with_importance_now(decay=decay, now=now)
    return rows.annotate(rank=rank + Value(after)).order_by("rank")


def _near_the_front(rows: MemoryQuerySet, first: int, floor: float) -> MemoryQuerySet:
    """Filter to memories that may be among the `first` least important now.

    Decay takes at most 1 - floor of an importance. A memory is excluded if its importance times
    floor exceeds the `first`-lowest importance, a bound that an index finds.
    """
    least = rows.order_by("importance").values_list("importance", flat=True)
    bound = least[first - 1 : first].first() if first else None
    if bound is None or floor <= 0:
        return rows
    return rows.filter(importance__lte=bound / floor * (1 + _ROUNDING))


def _protected(now: datetime, grace_hours: float) -> Q:
    # Greatest ignores NULL, which a memory has that was never in the bin.
    since = Greatest("created_at", "restored_at", output_field=DateTimeField())
    return Q(retention_sql.protected(F("pinned"), since, now, grace_hours)) | _taken_back(now)


def spared(*, now: datetime, grace_hours: float) -> dict[str, Q]:
    """Return conditions for memories protected from eviction, by the first reason as in
    `why_staying`: `pinned`, `taken_back`, `young`."""
    unpinned, taken_back = Q(pinned=False), _taken_back(now)
    return {
        "pinned": Q(pinned=True),
        "taken_back": unpinned & taken_back,
        "young": unpinned & ~taken_back & _protected(now, grace_hours),
    }


def why_staying(*, now: datetime, grace_hours: float, expires_at: Combinable) -> Case:
    """An expression for the first reason why a live memory is kept: `pinned`, `taken_back`,
    `young`, `permanent`, or just `alive`."""
    return Case(
        When(pinned=True, then=Value("pinned")),
        When(_taken_back(now), then=Value("taken_back")),
        When(_protected(now, grace_hours), then=Value("young")),
        When(IsNull(expires_at, True), then=Value("permanent")),
        default=Value("alive"),
        output_field=CharField(),
    )


def purgeable(rows: MemoryQuerySet, *, now: datetime, bin_days: float) -> MemoryQuerySet:
    """Filter to binned memories whose retention in the bin has ended."""
    return rows.binned().filter(binned_at__lte=now - timedelta(days=bin_days))


@dataclass(frozen=True)
class Cause:
    """The actor, time and policy of a removal, as recorded in the history."""

    space: Space
    actor: Actor
    policy: Policy
    now: datetime

    @property
    def rows(self) -> MemoryQuerySet:
        """All memories of the space."""
        return Memory.objects.in_space(self.space)


def expire(cause: Cause, *, at_most: int | None = None) -> int:
    """Move expired memories to the bin, the earliest expired first; return their number."""
    rows = expiring(cause.rows, now=cause.now).with_importance_now(
        decay=cause.policy.document.decay, now=cause.now
    )
    unranked = rows.annotate(rank=Cast(Value(None), IntegerField()))
    if at_most is not None:
        unranked = unranked.order_by("expires_at")[:at_most]
    return _move_to_bin(unranked, cause, Action.EXPIRED, BinReason.EXPIRED)


def evict(cause: Cause, *, at_most: int | None = None, after: int = 0) -> int:
    """Move the least important memories above the policy's capacity to the bin; return their
    number. `after` is the number removed before in the same sweep."""
    document = cause.policy.document
    excess = cause.rows.live().count() - document.capacity
    if at_most is not None:
        excess = min(excess, at_most)
    if excess <= 0:
        return 0
    rows = evictable(
        cause.rows,
        now=cause.now,
        grace_hours=document.grace_hours,
        decay=document.decay,
        first=excess,
        after=after,
    )
    return _move_to_bin(rows[:excess], cause, Action.EVICTED, BinReason.OVER_CAPACITY)


def _move_to_bin(rows: MemoryQuerySet, cause: Cause, action: Action, reason: BinReason) -> int:
    columns = ("id", "current_importance", "rank", "last_active_at", "expires_at")
    chosen, chosen_values = _compiled(rows.values(*columns))
    insert, insert_values = _history(cause, action)
    # The comparisons in `held` see changes committed after `chosen` was read: a use, a new
    # importance or a pin in between keeps the memory.
    statement = f"""
        WITH chosen AS MATERIALIZED ({chosen}),
        held AS MATERIALIZED (
            SELECT m.id, chosen.current_importance, chosen.rank
            FROM {_MEMORY} m JOIN chosen ON m.id = chosen.id
            WHERE m.space_id = %s AND m.status = 'live' AND NOT m.pinned
              AND m.last_active_at IS NOT DISTINCT FROM chosen.last_active_at
              AND m.expires_at IS NOT DISTINCT FROM chosen.expires_at
            FOR UPDATE OF m SKIP LOCKED
        ),
        gone AS (
            UPDATE {_MEMORY} m
            SET status = 'binned', binned_at = %s, bin_reason = %s,
                importance_then = held.current_importance, rank_then = held.rank
            FROM held WHERE m.space_id = %s AND m.id = held.id
            RETURNING m.id, m.bin_reason, m.content, m.importance, held.current_importance,
                held.rank
        )
        {insert}"""  # noqa: S608 - put together from our own parts; values are parameters
    space_id = cause.space.pk
    values = [*chosen_values, space_id, cause.now, reason.value, space_id, *insert_values]
    return _run(statement, values)


def purge(cause: Cause, rows: MemoryQuerySet) -> int:
    """Permanently delete these binned memories and the rows that refer to them; return their
    number. The history keeps their text."""
    rows = rows.with_importance_now(decay=cause.policy.document.decay, now=cause.now)
    columns = ("id", "current_importance")
    held, held_values = _compiled(rows.select_for_update(skip_locked=True).values(*columns))
    parts, part_values = _without_memory(cause.space)
    insert, insert_values = _history(cause, Action.PURGED)
    statement = f"""
        WITH held AS MATERIALIZED ({held}),
        held_ids AS (SELECT id FROM held),
        {parts}
        gone AS (
            DELETE FROM {_MEMORY} m USING held WHERE m.space_id = %s AND m.id = held.id
            RETURNING m.id, m.bin_reason, m.content, m.importance, held.current_importance,
                m.rank_then AS rank
        )
        {insert}"""  # noqa: S608 - put together from our own parts; values are parameters
    return _run(statement, [*held_values, *part_values, cause.space.pk, *insert_values])


def _without_memory(space: Space) -> tuple[str, list[Any]]:
    """Return the statements for rows that refer to purged memories, according to their foreign
    keys.

    Read from the models, so that an app above this one may refer to memories too. The keys are
    checked at commit, so the order does not matter.
    """
    parts: list[str] = []
    for relation in Memory._meta.related_objects:
        table, column = relation.related_model._meta.db_table, relation.field.column
        kept = relation.on_delete is models.SET_NULL
        verb = f"UPDATE {table} SET {column} = NULL" if kept else f"DELETE FROM {table}"  # noqa: S608 - our own names
        own = "WHERE space_id = %s"
        parts.append(f"without_{len(parts)} AS ({verb} {own} AND {column} IN (TABLE held_ids)),")
    return "\n".join(parts), [space.pk] * len(parts)


def _history(cause: Cause, action: Action) -> tuple[str, list[Any]]:
    """Return the statement that inserts one event for each row of `gone`."""
    statement = f"""
        INSERT INTO {_EVENT} (space_id, memory_id, at, action, actor_type, actor_name, reason,
            content, importance, current_importance, rank, policy_version, action_id)
        SELECT %s, id, %s, %s, %s, %s, bin_reason, content, importance, current_importance, rank,
            %s, %s
        FROM gone ORDER BY rank"""  # noqa: S608 - the table's name is ours
    actor, version = cause.actor.in_action(), cause.policy.version
    who = [actor.type, actor.name, version, actor.action_id]
    return statement, [cause.space.pk, cause.now, action.value, *who]


def _compiled(rows: models.QuerySet[Any, Any]) -> tuple[str, Sequence[Any]]:
    sql, values = rows.query.get_compiler(connection=connection).as_sql()
    return sql, values


def _run(statement: str, values: Sequence[Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        count: int = cursor.rowcount
    return count
