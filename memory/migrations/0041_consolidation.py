import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.utils.timezone
import memory.readers
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0040_memory_by_successor'),
    ]

    operations = [
        migrations.AlterField(
            model_name='memory',
            name='bin_reason',
            field=models.CharField(blank=True, choices=[('expired', 'expired'), ('over_capacity', 'over capacity'), ('deleted', 'deleted'), ('superseded', 'superseded'), ('rejected', 'rejected'), ('consolidated', 'consolidated')], max_length=14, verbose_name='reason'),
        ),
        migrations.AlterField(
            model_name='modelusage',
            name='purpose',
            field=models.CharField(choices=[('chat', 'Chat'), ('assess', 'Assessment'), ('reconcile', 'Comparison with known memories'), ('summarise', 'Summaries'), ('embed', 'Embeddings')], max_length=10, verbose_name='purpose'),
        ),
        migrations.CreateModel(
            name='ConsolidationProposal',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('user_id', models.CharField(blank=True, max_length=255, null=True, validators=[memory.readers.validate_user], verbose_name='user ID')),
                ('job_id', models.UUIDField()),
                ('kind', models.CharField(choices=[('merge', 'same fact'), ('summarise', 'summary'), ('contradiction', 'contradiction')], max_length=13, verbose_name='kind')),
                ('state', models.CharField(choices=[('open', 'open'), ('applied', 'applied'), ('rejected', 'rejected'), ('undone', 'undone')], default='open', max_length=8, verbose_name='state')),
                ('sources', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None, verbose_name='sources')),
                ('revisions', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), size=None)),
                ('result', models.JSONField(null=True, verbose_name='result')),
                ('sentences', models.JSONField(default=list)),
                ('confidence', models.FloatField(verbose_name='confidence')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('decided_at', models.DateTimeField(null=True, verbose_name='decided')),
                ('action_id', models.UUIDField(null=True)),
                ('result_id', models.UUIDField(null=True)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'consolidation proposal',
                'verbose_name_plural': 'consolidation proposals',
                'indexes': [models.Index(fields=['space', 'state', '-created_at', 'id'], name='proposal_by_state'), models.Index(fields=['space', 'job_id'], name='proposal_by_job'), models.Index(fields=['space', 'action_id'], name='proposal_by_action'), models.Index(fields=['space', 'result_id'], name='proposal_by_result'), django.contrib.postgres.indexes.GinIndex(fields=['sources'], name='proposal_by_source')],
            },
        ),
    ]
