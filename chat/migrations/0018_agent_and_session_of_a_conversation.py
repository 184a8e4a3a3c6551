import memory.readers
from django.db import migrations, models


class Migration(migrations.Migration):
    """A conversation carries the caller's agent and session to its memories."""

    dependencies = [
        ('chat', '0017_unfinished_replies'),
    ]

    operations = [
        migrations.AddField(
            model_name='conversation',
            name='agent_id',
            field=models.CharField(blank=True, max_length=255, null=True, validators=[memory.readers.validate_name], verbose_name='agent ID'),
        ),
        migrations.AddField(
            model_name='conversation',
            name='session_id',
            field=models.CharField(blank=True, max_length=255, null=True, validators=[memory.readers.validate_name], verbose_name='session ID'),
        ),
    ]
