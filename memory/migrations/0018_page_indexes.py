from django.db import migrations, models

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    """Pages count and chart from indexes, without reading whole memories and events."""

    atomic = False

    dependencies = [
        ('memory', '0017_saved_queries'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='memory',
            index=models.Index(condition=models.Q(('status', 'live')), fields=['space', 'id'], include=('memory_type', 'importance', 'core', 'pinned', 'use_count', 'created_at', 'last_active_at', 'restored_at', 'expires_at'), name='memory_live_facts'),
        ),
        AddIndexConcurrently(
            model_name='memoryevent',
            index=models.Index(fields=['space', 'action', 'at', 'id'], include=('memory_id',), name='event_by_action'),
        ),
        AddIndexConcurrently(
            model_name='memoryevent',
            index=models.Index(condition=models.Q(('action__in', ['restored', 'purged'])), fields=['space', 'memory_id', 'id'], include=('reason',), name='event_out_of_the_bin'),
        ),
    ]
