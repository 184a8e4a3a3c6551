from django.db import migrations, models

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    """The page of assessments counts from an index, and filters by state with one."""

    atomic = False

    dependencies = [
        ('assessor', '0004_long_lifetimes'),
        ('memory', '0018_page_indexes'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='assessment',
            index=models.Index(condition=models.Q(('part_of__isnull', True)), fields=['space', 'created_at'], include=('state', 'provider', 'latency_ms', 'tokens', 'cost_usd', 'first_importance', 'importance', 'model'), name='assessment_figures'),
        ),
        AddIndexConcurrently(
            model_name='assessment',
            index=models.Index(fields=['space', 'state', '-created_at', 'id'], name='assessment_by_state'),
        ),
    ]
