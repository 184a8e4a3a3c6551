import memory.readers
from django.db import migrations, models


class Migration(migrations.Migration):
    """An exchange carries the caller's agent, session and metadata to its memory."""

    dependencies = [
        ('assessor', '0017_connection_id'),
    ]

    operations = [
        migrations.AddField(
            model_name='assessment',
            name='agent_id',
            field=models.CharField(blank=True, max_length=255, null=True, validators=[memory.readers.validate_name], verbose_name='agent ID'),
        ),
        migrations.AddField(
            model_name='assessment',
            name='metadata',
            field=models.JSONField(blank=True, db_default={}, default=dict, verbose_name='metadata'),
        ),
        migrations.AddField(
            model_name='assessment',
            name='session_id',
            field=models.CharField(blank=True, max_length=255, null=True, validators=[memory.readers.validate_name], verbose_name='session ID'),
        ),
    ]
