"""More events of webhooks: the choices of a column, whose type stays."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0051_limit_counts'),
    ]

    operations = [
        migrations.AlterField(
            model_name='webhook',
            name='events',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('memory.created', 'memory created'), ('memory.revised', 'memory revised'), ('memory.superseded', 'memory superseded'), ('memory.expired', 'memory expired'), ('memory.evicted', 'memory evicted'), ('memory.deleted', 'memory deleted'), ('memory.restored', 'memory restored'), ('memory.purged', 'memory purged'), ('memory.held', 'memory sent to review'), ('user.erased', 'user erased'), ('assessment.failed', 'assessment failed'), ('digest.ready', 'weekly digest ready')], max_length=20), size=None, verbose_name='events'),
        ),
    ]
