from django.db import migrations, models

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    """Recall and the page of a memory find what it superseded."""

    atomic = False

    dependencies = [
        ('memory', '0039_times_of_facts'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='memory',
            index=models.Index(condition=models.Q(('status', 'binned'), ('valid_to__isnull', False)), fields=['space', 'superseded_by'], name='memory_by_successor'),
        ),
    ]
