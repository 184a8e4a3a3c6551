from django.db import migrations, models

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    """An undo finds the events of an action by its id."""

    atomic = False

    dependencies = [
        ('memory', '0025_action_id'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='memoryevent',
            index=models.Index(fields=['space', 'action_id'], name='event_by_action_id'),
        ),
    ]
