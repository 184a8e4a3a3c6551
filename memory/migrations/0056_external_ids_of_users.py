from django.db import migrations, models


class Migration(migrations.Migration):
    """An external id is unique for each user. Until the next migration, for the space as well."""

    atomic = False

    dependencies = [
        ('memory', '0055_invitations'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    # What an interrupted run has left would be incomplete.
                    ['DROP INDEX CONCURRENTLY IF EXISTS "memory_external_id_in_space_of_user"',
                     'CREATE UNIQUE INDEX CONCURRENTLY "memory_external_id_in_space_of_user" '
                     'ON "memory_memory" ("space_id", "user_id", "external_id") '
                     'NULLS NOT DISTINCT WHERE "external_id" IS NOT NULL'],
                    'DROP INDEX CONCURRENTLY "memory_external_id_in_space_of_user"',
                ),
            ],
            state_operations=[
                migrations.AddConstraint(
                    model_name='memory',
                    constraint=models.UniqueConstraint(condition=models.Q(('external_id__isnull', False)), fields=('space', 'user_id', 'external_id'), name='memory_external_id_in_space_of_user', nulls_distinct=False),
                ),
            ],
        ),
    ]
