import accounts.models.zones
import foundation.readers
import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.db import migrations, models

from foundation.database.space_keys import SpaceKeys


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('memory', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Assessment',
            fields=[
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('time_zone', models.CharField(blank=True, db_default='', default='', max_length=64, validators=[accounts.models.zones.validate_zone], verbose_name='time zone')),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('request_id', models.CharField(blank=True, db_default='', editable=False, max_length=64)),
                ('idempotency_key', models.CharField(blank=True, editable=False, max_length=200, null=True)),
                ('user_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_user], verbose_name='user ID')),
                ('said_by', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_name], verbose_name='said by')),
                ('user_message', models.TextField(verbose_name='user message')),
                ('assistant_response', models.TextField(blank=True, verbose_name="assistant's reply")),
                ('source_role', models.CharField(default='user', max_length=20, verbose_name='speaker role')),
                ('source_conversation', models.CharField(blank=True, max_length=200, verbose_name='conversation')),
                ('context', models.JSONField(blank=True, default=dict, verbose_name='context')),
                ('agent_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_name], verbose_name='agent ID')),
                ('session_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_name], verbose_name='session ID')),
                ('metadata', models.JSONField(blank=True, db_default={}, default=dict, verbose_name='metadata')),
                ('state', models.CharField(choices=[('queued', 'queued'), ('running', 'running'), ('retrying', 'retrying'), ('done', 'done'), ('ignored', 'ignored'), ('failed', 'failed')], default='queued', max_length=8, verbose_name='state')),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='due')),
                ('enqueued_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='last enqueued')),
                ('leased_until', models.DateTimeField(blank=True, null=True, verbose_name='leased until')),
                ('lease', models.UUIDField(blank=True, editable=False, null=True)),
                ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                ('finished_at', models.DateTimeField(blank=True, null=True, verbose_name='finished')),
                ('error', models.TextField(blank=True, verbose_name='error')),
                ('error_code', models.CharField(blank=True, db_default='', editable=False, max_length=40)),
                ('failed_tries', models.JSONField(blank=True, db_default=[], default=list, verbose_name='failed attempts')),
                ('span_ends_at', models.DateTimeField(blank=True, null=True, verbose_name='span ends')),
                ('rubric', models.CharField(blank=True, max_length=10, verbose_name='rubric')),
                ('provider', models.CharField(blank=True, max_length=10, verbose_name='provider')),
                ('model', models.CharField(blank=True, max_length=120, verbose_name='model')),
                ('prompt_version', models.CharField(blank=True, max_length=20, verbose_name='prompt')),
                ('fallback_of', models.CharField(blank=True, db_default='', max_length=120, verbose_name='fallback of')),
                ('fallback_reason', models.CharField(blank=True, choices=[('no_answer', 'model did not answer'), ('ungrounded', "model's answer did not fit the message")], db_default='', max_length=10, verbose_name='fallback reason')),
                ('connection_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('raw_answer', models.TextField(blank=True, verbose_name='raw answer')),
                ('latency_ms', models.FloatField(blank=True, null=True, verbose_name='latency (ms)')),
                ('tokens', models.PositiveIntegerField(blank=True, null=True, verbose_name='tokens')),
                ('cost_usd', models.FloatField(blank=True, null=True, verbose_name='cost (USD)')),
                ('first_importance', models.FloatField(blank=True, null=True, verbose_name='built-in importance')),
                ('importance', models.FloatField(blank=True, null=True, verbose_name='importance')),
                ('memory_type', models.CharField(blank=True, choices=[('identity', 'identity'), ('goal', 'goal'), ('decision', 'decision'), ('todo', 'todo'), ('preference', 'preference'), ('fact', 'fact'), ('event', 'event'), ('observation', 'observation')], max_length=12, verbose_name='type')),
                ('summary', models.TextField(blank=True, verbose_name='summary')),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), blank=True, default=list, size=None, verbose_name='tags')),
                ('topics', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=120), blank=True, default=list, size=None, verbose_name='topics')),
                ('omitted', models.JSONField(blank=True, db_default={}, default=dict, verbose_name='left out')),
                ('reasoning', models.TextField(blank=True, verbose_name='reasoning')),
                ('facets', models.JSONField(blank=True, null=True, verbose_name='facets')),
                ('confidence', models.FloatField(blank=True, null=True, verbose_name='confidence')),
                ('ttl_seconds', models.PositiveBigIntegerField(blank=True, null=True, verbose_name='lifetime (s)')),
                ('part_of', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='assessor.assessment', verbose_name='part of')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assessments', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'assessment',
                'verbose_name_plural': 'assessments',
                'indexes': [models.Index(fields=['space', '-created_at', 'id'], name='assessment_by_time'), models.Index(condition=models.Q(('user_id__isnull', False)), fields=['space', 'user_id', '-created_at', 'id'], name='assessment_by_user'), models.Index(condition=models.Q(('part_of__isnull', True)), fields=['space', 'created_at'], include=('state', 'provider', 'latency_ms', 'tokens', 'cost_usd', 'first_importance', 'importance', 'model'), name='assessment_figures'), models.Index(fields=['space', 'state', '-created_at', 'id'], name='assessment_by_state'), models.Index(condition=models.Q(('model', ''), _negated=True), fields=['space', 'model', '-created_at', '-id'], name='assessment_by_model'), models.Index(condition=models.Q(('connection_id__isnull', False), ('part_of__isnull', True)), fields=['connection_id', '-created_at'], name='assessment_by_connection'), models.Index(fields=['created_at', 'id'], name='assessment_of_all_by_time'), models.Index(condition=models.Q(('state__in', ['queued', 'retrying', 'running'])), fields=['due_at'], name='assessment_unfinished'), models.Index(condition=models.Q(('state__in', ['queued', 'retrying', 'running'])), fields=['space', 'due_at'], name='assessment_by_turn')],
                'constraints': [models.UniqueConstraint(fields=('space', 'idempotency_key'), name='assessment_once_per_idempotency_key')],
            },
        ),
        migrations.CreateModel(
            name='Lesson',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(verbose_name='position')),
                ('assessment', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='taught', to='assessor.assessment', verbose_name='assessment')),
                ('memory', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='lessons', to='memory.memory', verbose_name='memory')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space')),
            ],
            options={
                'verbose_name': 'lesson',
                'verbose_name_plural': 'lessons',
                'indexes': [models.Index(fields=['space', 'memory'], name='lesson_by_memory')],
                'constraints': [models.UniqueConstraint(fields=('space', 'assessment', 'position'), name='lesson_once_per_position')],
            },
        ),
        migrations.CreateModel(
            name='GateCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(verbose_name='day')),
                ('reason', models.CharField(max_length=20, verbose_name='reason')),
                ('count', models.PositiveIntegerField(default=1, verbose_name='requests')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space')),
            ],
            options={
                'verbose_name': 'requests that were not assessed',
                'verbose_name_plural': 'requests that were not assessed',
                'constraints': [models.UniqueConstraint(fields=('space', 'day', 'reason'), name='gate_count_once_per_day')],
            },
        ),
        SpaceKeys(
            'Assessment', 'Lesson', 'GateCount',
        ),
    ]
