"""The outbox: the statement that creates webhook messages from the history.

The history is the outbox: code that writes it does not know webhooks. Each webhook stores
`seen_upto`, the id up to which all events are processed. Ids are assigned before a transaction
commits, so a smaller id may become visible after a greater one. `seen_upto` may only pass an id
when every transaction that could have a smaller one has ended. Therefore the greatest visible id is
stored first (`next_upto`), with the number that the next transaction will get (`next_after`). It
becomes `seen_upto` once no transaction with a smaller number is running. Events in between are read
again meanwhile; a unique constraint creates only one message for each event. (An event is written
after its change, so its transaction has a number before the event has an id.)
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection

from memory.models import Webhook

# For other programs a memory sent to review is created when it is approved, not before; and not
# at all if the approval merged it into another memory.
_COLLECT = """
    INSERT INTO memory_webhookdelivery (
        id, space_id, webhook_id, event, event_id, payload, state, attempts, created_at, due_at,
        response, error
    )
    SELECT gen_random_uuid(), e.space_id, %(webhook)s, e.type, e.id,
        jsonb_build_object(
            'type', e.type,
            'timestamp', to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
            'data', jsonb_build_object(
                'event_id', e.id, 'space', %(slug)s::text, 'memory_id', e.memory_id,
                'content', e.content, 'importance', e.importance,
                'current_importance', e.current_importance, 'reason', e.reason,
                'actor', jsonb_build_object('type', e.actor_type, 'name', e.actor_name)
            )
        ), 'pending', 0, %(now)s, %(now)s, '', ''
    FROM (
        SELECT *, 'memory.' || replace(action, 'approved', 'created') AS type
        FROM memory_memoryevent
        WHERE space_id = %(space)s AND id > %(seen_upto)s
    ) AS e
    WHERE e.type = ANY(%(events)s) AND NOT (e.action = 'created' AND EXISTS (
        SELECT 1 FROM memory_memoryevent AS held
        WHERE held.space_id = %(space)s AND held.memory_id = e.memory_id AND held.action = 'held'
    )) AND NOT (e.action = 'approved' AND EXISTS (
        SELECT 1 FROM memory_memoryevent AS merged
        WHERE merged.space_id = %(space)s AND merged.memory_id = e.memory_id
            AND merged.action = 'deleted'
            AND (merged.at, merged.action_id) IS NOT DISTINCT FROM (e.at, e.action_id)
    ))
    ORDER BY e.id
    ON CONFLICT (space_id, webhook_id, event_id) DO NOTHING
"""
_MOVE_ON = """
    UPDATE memory_webhook AS hook SET
        seen_upto = CASE WHEN settled THEN next_upto ELSE seen_upto END,
        next_upto = CASE WHEN settled THEN newest ELSE next_upto END,
        next_after = CASE WHEN settled THEN begun ELSE next_after END
    FROM (
        SELECT coalesce(max(id), 0) AS newest,
            pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS begun,
            pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS running
        FROM memory_memoryevent
    ) AS history,
    LATERAL (SELECT running >= hook_now.next_after AS settled FROM memory_webhook AS hook_now
        WHERE hook_now.space_id = %(space)s AND hook_now.id = %(webhook)s) AS state
    WHERE hook.space_id = %(space)s AND hook.id = %(webhook)s
"""


def newest_event() -> int:
    """Return the greatest event id so far, of any space: the starting point of a new webhook."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(id), 0) FROM memory_memoryevent")
        return int(cursor.fetchone()[0])


def collect(webhook: Webhook, now: datetime) -> int:
    """Create messages for new events of the history; return their number. Call this in a
    transaction that has locked the webhook's row."""
    values: dict[str, Any] = {
        "webhook": webhook.pk,
        "space": webhook.space_id,
        "slug": webhook.space.slug,
        "events": webhook.events,
        "seen_upto": webhook.seen_upto,
        "now": now,
    }
    with connection.cursor() as cursor:
        # In this order: the second statement sees all events that the first considers settled.
        cursor.execute(_MOVE_ON, values)
        cursor.execute(_COLLECT, values)
        return int(cursor.rowcount)
