from django.db import migrations, models


class Migration(migrations.Migration):
    """The counts change with each call and may be lost: PostgreSQL need not log them."""

    dependencies = [
        ('memory', '0050_space_keys'),
    ]

    operations = [
        migrations.CreateModel(
            name='LimitCount',
            fields=[
                ('key', models.CharField(max_length=160, primary_key=True, serialize=False)),
                ('started_at', models.DateTimeField()),
                ('count', models.BigIntegerField()),
            ],
        ),
        migrations.RunSQL('ALTER TABLE memory_limitcount SET UNLOGGED', migrations.RunSQL.noop),
    ]
