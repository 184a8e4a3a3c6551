from django.db import migrations, models


class Migration(migrations.Migration):
    """The log of a worker names the request that an exchange came from."""

    dependencies = [
        ('assessor', '0019_index_by_turn'),
    ]

    operations = [
        migrations.AddField(
            model_name='assessment',
            name='request_id',
            field=models.CharField(blank=True, db_default='', editable=False, max_length=64),
        ),
    ]
