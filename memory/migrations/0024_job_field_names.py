"""Two fields of a job get better names; their columns keep the old ones."""

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0023_idempotent_batches'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveIndex('job', 'job_unfinished'),
                migrations.RenameField('job', 'told_at', 'enqueued_at'),
                migrations.AlterField(
                    model_name='job',
                    name='enqueued_at',
                    field=models.DateTimeField(db_column='told_at', default=django.utils.timezone.now, editable=False),
                ),
                migrations.RenameField('job', 'moved_in', 'last_progress_attempt'),
                migrations.AlterField(
                    model_name='job',
                    name='last_progress_attempt',
                    field=models.PositiveIntegerField(db_column='moved_in', default=0, editable=False),
                ),
                migrations.AddIndex(
                    'job',
                    models.Index(condition=models.Q(('state__in', ['queued', 'running'])), fields=['enqueued_at'], name='job_unfinished'),
                ),
            ],
        ),
    ]
