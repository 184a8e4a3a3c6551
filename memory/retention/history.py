"""Records removals in the history: one event for each removed memory, in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from accounts.models import Space, WebhookEvent
from foundation.actors import Actor
from memory.models import Memory, MemoryEvent
from memory.models.history import Action
from memory.models.memories import MemoryQuerySet
from memory.models.policies import Policy
from memory.webhooks.outbox import write_messages

_COLUMNS = ("memory_id", "user_id", "reason", "content", "importance", "current_importance", "rank")
GONE = """
        SELECT id, user_id, bin_reason, content, importance, current_importance, rank
        FROM gone ORDER BY rank, id"""
"""The end of a statement that removes memories: these columns of each are written into its
event."""


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


def run_and_record(cause: Cause, action: Action, statement: str, values: Sequence[Any]) -> int:
    """Run a statement that ends with `GONE`, and write the events of the removed memories and the
    messages to webhooks in the same transaction; return the number of memories.

    The statement itself cannot write the events, because for an INSERT … SELECT Citus 13.0 numbers
    the rows on the shard's node, independently of all other events (citusdata/citus#7976).
    """
    actor = cause.actor.in_action()
    shared: dict[str, Any] = {"space": cause.space, "at": cause.now, "action": action}
    shared |= {"actor_type": actor.type, "actor_name": actor.name, "action_id": actor.action_id}
    shared |= {"policy_version": cause.policy.version}
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            gone = [dict(zip(_COLUMNS, row, strict=True)) for row in cursor.fetchall()]
        events = [MemoryEvent(**one, **shared) for one in gone]
        MemoryEvent.objects.bulk_create(events, batch_size=1000)
        ids = [event.pk for event in events]
        write_messages(
            space_id=cause.space.pk, event=WebhookEvent(f"memory.{action}"), event_ids=ids
        )
    return len(events)
