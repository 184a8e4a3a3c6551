"""A field of an assessment gets a better name; its column keeps the old one."""

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assessor', '0009_failed_tries'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField('assessment', 'told_at', 'enqueued_at'),
                migrations.AlterField(
                    model_name='assessment',
                    name='enqueued_at',
                    field=models.DateTimeField(db_column='told_at', default=django.utils.timezone.now, verbose_name='last enqueued'),
                ),
            ],
        ),
    ]
