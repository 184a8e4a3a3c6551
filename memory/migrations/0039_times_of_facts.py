from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0038_messages_of_earlier_events'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='event_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='time of the event'),
        ),
        migrations.AddField(
            model_name='memory',
            name='event_precision',
            field=models.CharField(blank=True, choices=[('day', 'day'), ('month', 'month'), ('year', 'year')], db_default='', default='', max_length=5, verbose_name='precision of the time'),
        ),
        migrations.AddField(
            model_name='memory',
            name='superseded_by',
            field=models.UUIDField(blank=True, editable=False, null=True, verbose_name='superseded by'),
        ),
        migrations.AddField(
            model_name='memory',
            name='valid_from',
            field=models.DateTimeField(blank=True, null=True, verbose_name='true since'),
        ),
        migrations.AddField(
            model_name='memory',
            name='valid_to',
            field=models.DateTimeField(blank=True, null=True, verbose_name='true until'),
        ),
    ]
