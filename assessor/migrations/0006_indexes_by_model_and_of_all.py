from django.db import migrations, models

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    """A judge's assessments are found by an index, and so are the latest of all spaces."""

    atomic = False

    dependencies = [
        ('assessor', '0005_page_indexes'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='assessment',
            index=models.Index(condition=models.Q(('model', ''), _negated=True), fields=['space', 'model', '-created_at', '-id'], name='assessment_by_model'),
        ),
        AddIndexConcurrently(
            model_name='assessment',
            index=models.Index(fields=['created_at', 'id'], name='assessment_of_all_by_time'),
        ),
    ]
