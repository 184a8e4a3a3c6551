import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0015_repeated_templates'),
        ('memory', '0037_key_learns'),
    ]

    operations = [
        migrations.AddField(
            model_name='message',
            name='leased_until',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.CreateModel(
            name='IdempotentTurn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('reply', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='chat.message')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.space')),
            ],
            options={
                'verbose_name': 'idempotent turn',
                'verbose_name_plural': 'idempotent turns',
                'constraints': [models.UniqueConstraint(fields=('space', 'key'), name='turn_once_per_idempotency_key')],
            },
        ),
    ]
