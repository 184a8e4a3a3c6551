"""External ids and consolidations are unique for each user, no longer for the space."""


import memory.readers
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0056_external_ids_of_users'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='job',
            name='job_one_of_a_kind_at_once',
        ),
        migrations.RemoveConstraint(
            model_name='memory',
            name='memory_external_id_in_space',
        ),
        migrations.AddField(
            model_name='job',
            name='user_id',
            field=models.CharField(blank=True, max_length=255, null=True, validators=[memory.readers.validate_user], verbose_name='user ID'),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'running'])), fields=('space', 'kind', 'user_id'), name='job_one_of_a_kind_and_user', nulls_distinct=False),
        ),
    ]
