"""Write the webhook messages of events that beat has not collected yet: from now on each event
writes its own (memory/webhooks/outbox.py)."""

from django.db import migrations

_WRITE = """
    INSERT INTO memory_webhookdelivery (
        id, space_id, webhook_id, user_id, event, event_id, payload, state, attempts, created_at,
        due_at, response, error
    )
    SELECT gen_random_uuid(), e.space_id, hook.id, e.user_id, e.type, e.id,
        jsonb_build_object(
            'type', e.type,
            'timestamp', to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
            'data', jsonb_build_object(
                'event_id', e.id, 'space', space.slug, 'memory_id', e.memory_id,
                'user_id', e.user_id,
                'content', e.content, 'importance', e.importance,
                'current_importance', e.current_importance, 'reason', e.reason,
                'actor', jsonb_build_object('type', e.actor_type, 'name', e.actor_name)
            )
        ), 'pending', 0, now(), now(), '', ''
    FROM memory_webhook AS hook
    JOIN memory_space AS space ON space.id = hook.space_id
    JOIN (
        SELECT *, 'memory.' || replace(action, 'approved', 'created') AS type
        FROM memory_memoryevent
    ) AS e ON e.space_id = hook.space_id AND e.id > hook.seen_upto AND e.type = ANY(hook.events)
    WHERE hook.active AND NOT (e.action = 'created' AND EXISTS (
        SELECT 1 FROM memory_memoryevent AS held
        WHERE held.space_id = e.space_id AND held.memory_id = e.memory_id AND held.action = 'held'
    )) AND NOT (e.action = 'approved' AND EXISTS (
        SELECT 1 FROM memory_memoryevent AS merged
        WHERE merged.space_id = e.space_id AND merged.memory_id = e.memory_id
            AND merged.action = 'deleted'
            AND (merged.at, merged.action_id) IS NOT DISTINCT FROM (e.at, e.action_id)
    ))
    ON CONFLICT (space_id, webhook_id, event_id) DO NOTHING
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0037_key_learns'),
    ]

    operations = [
        migrations.RunSQL(_WRITE, migrations.RunSQL.noop),
    ]
