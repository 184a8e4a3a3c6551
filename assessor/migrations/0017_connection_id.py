from django.db import migrations, models


class Migration(migrations.Migration):
    """An assessment names the model connection that was asked.

    No row has a value yet, so the partial index is empty and needs only one scan of the table.
    """

    dependencies = [
        ('assessor', '0016_gate_counts'),
    ]

    operations = [
        migrations.AddField(
            model_name='assessment',
            name='connection_id',
            field=models.UUIDField(blank=True, editable=False, null=True),
        ),
        migrations.AddIndex(
            model_name='assessment',
            index=models.Index(condition=models.Q(('connection_id__isnull', False), ('part_of__isnull', True)), fields=['connection_id', '-created_at'], name='assessment_by_connection'),
        ),
    ]
