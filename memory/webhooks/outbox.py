"""The outbox: messages to webhooks, written in the transaction of the event that they report.

So a message exists exactly if its event does; beat and workers only send it (deliveries). Events of
an imported history are not reported, because they happened elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from accounts.models import WebhookEvent

_WRITE = """
    INSERT INTO memory_webhookdelivery (
        id, space_id, webhook_id, user_id, event, event_id, payload, state, attempts, created_at,
        due_at, response, error
    )
    SELECT gen_random_uuid(), e.space_id, hook.id, e.user_id, %(event)s::text, e.id,
        jsonb_build_object(
            'type', %(event)s::text,
            'timestamp', to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
            'data', jsonb_build_object(
                'event_id', e.id, 'space', space.slug, 'memory_id', e.memory_id,
                'user_id', e.user_id,
                'content', e.content, 'importance', e.importance,
                'current_importance', e.current_importance, 'reason', e.reason,
                'actor', jsonb_build_object('type', e.actor_type, 'name', e.actor_name)
            )
        ), 'pending', 0, statement_timestamp(), statement_timestamp(), '', ''
    FROM memory_webhook AS hook
    JOIN accounts_space AS space ON space.id = hook.space_id
    JOIN memory_memoryevent AS e ON e.space_id = hook.space_id
    WHERE hook.space_id = %(space)s AND e.space_id = %(space)s AND hook.active
        AND %(event)s::text = ANY(hook.events) AND e.id = ANY(%(ids)s::bigint[])
    ORDER BY e.id
"""


def write_messages(*, space_id: int, event: WebhookEvent, event_ids: Sequence[int]) -> None:
    """Write a message about each of these events of the history for each webhook that receives
    `event`. Call this in the transaction that wrote them."""
    if not event_ids:
        return
    values: dict[str, Any] = {"space": space_id, "event": event.value, "ids": list(event_ids)}
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, values)
