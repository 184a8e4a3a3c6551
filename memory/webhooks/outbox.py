"""Reads on webhooks, and the statement that makes messages of the history.

The history is the outbox: what writes it knows nothing of webhooks. Each webhook remembers up to
which id of it all is dealt with. Ids are given before a transaction commits, so a smaller one may
become visible after a greater one: `seen_upto` may only pass an id when every transaction that
could hold a smaller one has ended. So the greatest id that is visible is noted first (`next_upto`)
with the number that the next transaction will get (`next_after`), and becomes `seen_upto` once no
transaction with a smaller number runs any more. What lies between is read again meanwhile; a unique
constraint makes one message of each event. (An event is written after the change it tells of, so
its transaction has its number before the event has its id.)
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection

from memory.models import Webhook

# A memory that is held for review comes to life when it is approved: to other programs it is
# created then, and not before; and not at all if it only said what another one says.
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
    """The greatest id of the history so far, of any space: where a new webhook begins."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(id), 0) FROM memory_memoryevent")
        return int(cursor.fetchone()[0])


def collect(webhook: Webhook, now: datetime) -> int:
    """Makes messages of what is new in the history; how many. In a transaction that holds the
    webhook's row."""
    values: dict[str, Any] = {
        "webhook": webhook.pk,
        "space": webhook.space_id,
        "slug": webhook.space.slug,
        "events": webhook.events,
        "seen_upto": webhook.seen_upto,
        "now": now,
    }
    with connection.cursor() as cursor:
        # In this order: what the one takes for settled, the other, which reads later, sees.
        cursor.execute(_MOVE_ON, values)
        cursor.execute(_COLLECT, values)
        return int(cursor.rowcount)
