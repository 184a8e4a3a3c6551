from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0003_settings_and_tools'),
    ]

    operations = [
        migrations.AddField(
            model_name='conversation',
            name='external_id',
            field=models.CharField(blank=True, db_default='', max_length=220, verbose_name="the client's name for it"),
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(condition=models.Q(('external_id', ''), _negated=True), fields=['space', 'external_id'], name='conversation_by_external_id'),
        ),
    ]
