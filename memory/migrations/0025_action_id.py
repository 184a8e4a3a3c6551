from django.db import migrations, models


class Migration(migrations.Migration):
    """Events and revisions carry the id of the action that wrote them; old rows have none."""

    dependencies = [
        ('memory', '0024_job_field_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='memoryevent',
            name='action_id',
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='memoryrevision',
            name='action_id',
            field=models.UUIDField(editable=False, null=True),
        ),
    ]
