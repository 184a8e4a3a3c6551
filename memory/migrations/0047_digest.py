"""The weekly digest: an event of webhooks, and the last week that each space announced."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0046_first_steps'),
    ]

    operations = [
        migrations.AddField(
            model_name='space',
            name='digested_until',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AlterField(
            model_name='webhook',
            name='events',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('memory.created', 'memory created'), ('memory.revised', 'memory revised'), ('memory.expired', 'memory expired'), ('memory.evicted', 'memory evicted'), ('memory.restored', 'memory restored'), ('assessment.failed', 'assessment failed'), ('digest.ready', 'weekly digest ready')], max_length=20), size=None, verbose_name='events'),
        ),
    ]
