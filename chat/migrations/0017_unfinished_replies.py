from django.db import migrations, models

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('chat', '0016_repeats_and_leases'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='message',
            index=models.Index(
                condition=models.Q(('state__in', ['pending', 'streaming'])),
                fields=['created_at'],
                name='message_unfinished',
            ),
        ),
    ]
