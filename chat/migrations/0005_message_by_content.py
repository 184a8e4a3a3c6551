from django.db import migrations, models
from django.db.models.functions import MD5

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('chat', '0004_external_id'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='message',
            index=models.Index(models.F('space'), MD5('content'), name='message_by_content'),
        ),
    ]
