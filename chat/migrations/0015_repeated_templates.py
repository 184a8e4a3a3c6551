from django.db import migrations, models
from django.db.models.functions import MD5, Left, Right

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('chat', '0014_standing_rules'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='message',
            index=models.Index(
                models.F('space'),
                MD5(Left('content', 120)),
                condition=models.Q(('role', 'user')),
                name='message_by_beginning',
            ),
        ),
        AddIndexConcurrently(
            model_name='message',
            index=models.Index(
                models.F('space'),
                MD5(Right('content', 120)),
                condition=models.Q(('role', 'user')),
                name='message_by_end',
            ),
        ),
    ]
