from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations, models

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    """Pages count from a third of the bytes; the bin and the moderators' list come in the order of
    an index."""

    atomic = False

    dependencies = [
        ('memory', '0019_review_rules'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='memory',
            index=models.Index(condition=models.Q(('status', 'live')), fields=['space'], include=('id', 'created_at', 'importance', 'use_count', 'core', 'pinned', 'expires_at', 'last_active_at', 'restored_at', 'memory_type'), name='memory_live_columns'),
        ),
        RemoveIndexConcurrently(
            model_name='memory',
            name='memory_live_facts',
        ),
        AddIndexConcurrently(
            model_name='memory',
            index=models.Index(condition=models.Q(('status', 'binned')), fields=['space', 'binned_at', 'id'], include=('bin_reason',), name='memory_in_bin'),
        ),
        RemoveIndexConcurrently(
            model_name='memory',
            name='memory_bin',
        ),
        AddIndexConcurrently(
            model_name='memory',
            index=models.Index(fields=['created_at', 'id'], name='memory_of_all_by_age'),
        ),
    ]
