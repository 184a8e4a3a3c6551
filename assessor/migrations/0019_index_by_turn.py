from django.db import migrations, models

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    """Spaces with waiting exchanges are found by an index."""

    atomic = False

    dependencies = [
        ('assessor', '0018_names_of_an_exchange'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='assessment',
            index=models.Index(condition=models.Q(('state__in', ['queued', 'retrying', 'running'])), fields=['space', 'due_at'], name='assessment_by_turn'),
        ),
    ]
