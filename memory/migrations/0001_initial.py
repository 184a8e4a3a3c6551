import accounts.models.zones
import foundation.readers
import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.utils.timezone
import pgvector.django
import pgvector.django.halfvec
import uuid
from django.conf import settings
from django.db import migrations, models

from foundation.database.space_keys import SpaceKeys


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        pgvector.django.VectorExtension(),
        migrations.CreateModel(
            name='ModelConnection',
            fields=[
                ('id', models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID(), editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=60, unique=True, verbose_name='name')),
                ('preset', models.CharField(blank=True, max_length=20, verbose_name='preset')),
                ('base_url', models.CharField(max_length=300, verbose_name='address')),
                ('sealed_key', models.TextField(blank=True, editable=False)),
                ('price_prompt', models.FloatField(blank=True, null=True, verbose_name='price of a million prompt tokens')),
                ('price_completion', models.FloatField(blank=True, null=True, verbose_name='price of a million completion tokens')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('changed_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='changed')),
                ('failure', models.CharField(blank=True, max_length=400, verbose_name='last failure')),
                ('failing_since', models.DateTimeField(blank=True, null=True, verbose_name='failing since')),
            ],
            options={
                'verbose_name': 'model connection',
                'verbose_name_plural': 'model connections',
                'ordering': ('name',),
            },
        ),
        migrations.CreateModel(
            name='WorkerHeartbeat',
            fields=[
                ('queue', models.CharField(max_length=60, primary_key=True, serialize=False, verbose_name='queue')),
                ('at', models.DateTimeField(verbose_name='time')),
            ],
            options={
                'verbose_name': 'worker heartbeat',
                'verbose_name_plural': 'worker heartbeats',
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=20, verbose_name='kind')),
                ('user_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_user], verbose_name='user ID')),
                ('state', models.CharField(choices=[('queued', 'queued'), ('running', 'running'), ('done', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=9, verbose_name='state')),
                ('parameters', models.JSONField(default=dict, verbose_name='parameters')),
                ('done', models.PositiveBigIntegerField(default=0, verbose_name='done')),
                ('total', models.PositiveBigIntegerField(blank=True, null=True, verbose_name='total')),
                ('result', models.JSONField(default=dict, verbose_name='result')),
                ('error', models.TextField(blank=True, verbose_name='error')),
                ('cancel_requested', models.BooleanField(default=False, verbose_name='cancel requested')),
                ('actor_type', models.CharField(choices=[('user', 'user'), ('key', 'API key'), ('assessor', 'assessor'), ('assistant', 'assistant'), ('system', 'Ebb')], max_length=10, verbose_name='actor type')),
                ('actor_name', models.CharField(blank=True, max_length=150, verbose_name='actor')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('enqueued_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('started_at', models.DateTimeField(blank=True, null=True, verbose_name='started')),
                ('done_before', models.PositiveBigIntegerField(default=0, editable=False)),
                ('leased_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('attempts', models.PositiveIntegerField(default=0, editable=False)),
                ('last_progress_attempt', models.PositiveIntegerField(default=0, editable=False)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'job',
                'verbose_name_plural': 'jobs',
            },
        ),
        migrations.CreateModel(
            name='JobPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('data', models.BinaryField()),
                ('job', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='memory.job')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space')),
            ],
            options={
                'verbose_name': 'job part',
                'verbose_name_plural': 'job parts',
            },
        ),
        migrations.CreateModel(
            name='Memory',
            fields=[
                ('user_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_user], verbose_name='user ID')),
                ('agent_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_name], verbose_name='agent ID')),
                ('session_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_name], verbose_name='session ID')),
                ('external_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_name], verbose_name='external ID')),
                ('metadata', models.JSONField(blank=True, db_default={}, default=dict, verbose_name='metadata')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('time_zone', models.CharField(blank=True, db_default='', default='', max_length=64, validators=[accounts.models.zones.validate_zone], verbose_name='time zone')),
                ('event_at', models.DateTimeField(blank=True, null=True, verbose_name='time of the event')),
                ('event_precision', models.CharField(blank=True, choices=[('day', 'day'), ('month', 'month'), ('year', 'year')], db_default='', default='', max_length=5, verbose_name='precision of the time')),
                ('valid_from', models.DateTimeField(blank=True, null=True, verbose_name='true since')),
                ('valid_to', models.DateTimeField(blank=True, null=True, verbose_name='true until')),
                ('superseded_by', models.UUIDField(blank=True, editable=False, null=True, verbose_name='superseded by')),
                ('times_used', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('times_unused', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('confirmations', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('objections', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('short_id', models.CharField(editable=False, max_length=8, verbose_name='short ID')),
                ('legacy_id', models.CharField(blank=True, db_default='', default='', editable=False, max_length=6)),
                ('content', models.TextField(verbose_name='content')),
                ('memory_type', models.CharField(choices=[('identity', 'identity'), ('goal', 'goal'), ('decision', 'decision'), ('todo', 'todo'), ('preference', 'preference'), ('fact', 'fact'), ('event', 'event'), ('observation', 'observation')], max_length=12, verbose_name='type')),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), blank=True, default=list, size=None, verbose_name='tags')),
                ('topics', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=120), blank=True, default=list, size=None, verbose_name='topics')),
                ('importance', models.FloatField(validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(1.0)], verbose_name='importance')),
                ('facets', models.JSONField(blank=True, null=True, verbose_name='facets')),
                ('reinforced_from', models.FloatField(blank=True, editable=False, null=True)),
                ('core', models.BooleanField(default=False, verbose_name='core')),
                ('pinned', models.BooleanField(default=False, verbose_name='pinned')),
                ('status', models.CharField(choices=[('live', 'active'), ('review', 'waiting for review'), ('binned', 'in the bin')], default='live', max_length=6, verbose_name='status')),
                ('last_active_at', models.DateTimeField(blank=True, null=True, verbose_name='last used')),
                ('use_count', models.PositiveIntegerField(default=0, verbose_name='uses')),
                ('clock_started_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now, editable=False, verbose_name='lifetime starts')),
                ('expires_at', models.DateTimeField(blank=True, null=True, verbose_name='expires')),
                ('restored_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='restored')),
                ('revision', models.PositiveIntegerField(default=1, verbose_name='revision')),
                ('source_role', models.CharField(default='user', max_length=20, verbose_name='speaker role')),
                ('source_speaker', models.CharField(blank=True, max_length=120, verbose_name='speaker')),
                ('source_conversation', models.CharField(blank=True, max_length=200, verbose_name='conversation')),
                ('source_position', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('source_assessment', models.UUIDField(blank=True, null=True, verbose_name='assessment')),
                ('source_place', models.PositiveSmallIntegerField(db_default=0, default=0, editable=False)),
                ('review_reason', models.TextField(blank=True, editable=False, verbose_name='review reason')),
                ('review_proposal', models.JSONField(blank=True, editable=False, null=True)),
                ('binned_at', models.DateTimeField(blank=True, null=True, verbose_name='moved to bin')),
                ('bin_reason', models.CharField(blank=True, choices=[('expired', 'expired'), ('over_capacity', 'over capacity'), ('deleted', 'deleted'), ('superseded', 'superseded'), ('rejected', 'rejected'), ('consolidated', 'consolidated')], max_length=14, verbose_name='reason')),
                ('importance_then', models.FloatField(blank=True, null=True, verbose_name='importance at that time')),
                ('rank_then', models.PositiveIntegerField(blank=True, null=True, verbose_name='rank at that time')),
                ('search', django.contrib.postgres.search.SearchVectorField(editable=False)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memories', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'memory',
                'verbose_name_plural': 'memories',
            },
        ),
        migrations.CreateModel(
            name='IdempotentWrite',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('is_new', models.BooleanField(default=True)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space')),
                ('memory', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='idempotent_writes', to='memory.memory')),
            ],
            options={
                'verbose_name': 'idempotent write',
                'verbose_name_plural': 'idempotent writes',
            },
        ),
        migrations.CreateModel(
            name='FurtherEmbedding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.SmallIntegerField(editable=False)),
                ('vector', pgvector.django.halfvec.HalfVectorField()),
                ('in_index', models.BooleanField(db_default=False, default=False, editable=False)),
                ('embedder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.embedder', verbose_name='embedding model')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
                ('memory', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='further_embeddings', to='memory.memory', verbose_name='memory')),
            ],
            options={
                'verbose_name': 'vector of a long memory',
                'verbose_name_plural': 'vectors of long memories',
            },
        ),
        migrations.CreateModel(
            name='MemoryEmbedding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('vector', pgvector.django.halfvec.HalfVectorField()),
                ('in_index', models.BooleanField(db_default=False, default=False, editable=False)),
                ('further', models.SmallIntegerField(db_default=0, default=0, editable=False)),
                ('embedder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.embedder', verbose_name='embedding model')),
                ('memory', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='embeddings', to='memory.memory', verbose_name='memory')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'vector',
                'verbose_name_plural': 'vectors',
            },
        ),
        migrations.CreateModel(
            name='MemoryEvent',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('memory_id', models.UUIDField(verbose_name='memory')),
                ('user_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_user], verbose_name='user ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='time')),
                ('action', models.CharField(choices=[('created', 'created'), ('revised', 'revised'), ('reinforced', 'reinforced'), ('used', 'used'), ('renewed', 'renewed'), ('unused', 'use undone'), ('expired', 'expired'), ('evicted', 'evicted'), ('deleted', 'deleted'), ('restored', 'restored'), ('purged', 'purged'), ('pinned', 'pinned'), ('unpinned', 'unpinned'), ('extended', 'extended'), ('held', 'sent to review'), ('approved', 'approved'), ('rejected', 'rejected'), ('reset', 'adjustment reset'), ('unreset', 'reset undone')], max_length=10, verbose_name='action')),
                ('actor_type', models.CharField(choices=[('user', 'user'), ('key', 'API key'), ('assessor', 'assessor'), ('assistant', 'assistant'), ('system', 'Ebb')], max_length=10, verbose_name='actor type')),
                ('actor_name', models.CharField(blank=True, max_length=150, verbose_name='actor')),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('reason_code', models.CharField(db_default='', default='', editable=False, max_length=30)),
                ('reason_argument', models.TextField(db_default='', default='', editable=False)),
                ('content', models.TextField(verbose_name='content')),
                ('importance', models.FloatField(verbose_name='importance')),
                ('current_importance', models.FloatField(verbose_name='importance at that time')),
                ('rank', models.PositiveIntegerField(null=True, verbose_name='rank')),
                ('policy_version', models.PositiveIntegerField(verbose_name='policy version')),
                ('action_id', models.UUIDField(editable=False, null=True)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'event',
                'verbose_name_plural': 'history',
            },
        ),
        migrations.CreateModel(
            name='MemoryRevision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(verbose_name='revision')),
                ('content', models.TextField(verbose_name='content')),
                ('memory_type', models.CharField(max_length=12, verbose_name='type')),
                ('importance', models.FloatField(verbose_name='importance')),
                ('facets', models.JSONField(null=True, verbose_name='facets')),
                ('reinforced_from', models.FloatField(null=True, verbose_name='importance before reinforcement')),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), default=list, size=None, verbose_name='tags')),
                ('topics', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=120), default=list, size=None, verbose_name='topics')),
                ('metadata', models.JSONField(editable=False, null=True, verbose_name='metadata')),
                ('replaced_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='replaced')),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('reason_code', models.CharField(db_default='', default='', editable=False, max_length=30)),
                ('reason_argument', models.TextField(db_default='', default='', editable=False)),
                ('actor_type', models.CharField(choices=[('user', 'user'), ('key', 'API key'), ('assessor', 'assessor'), ('assistant', 'assistant'), ('system', 'Ebb')], max_length=10, verbose_name='actor type')),
                ('actor_name', models.CharField(blank=True, max_length=150, verbose_name='actor')),
                ('action_id', models.UUIDField(editable=False, null=True)),
                ('memory', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='past_revisions', to='memory.memory', verbose_name='memory')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'earlier version',
                'verbose_name_plural': 'earlier versions',
            },
        ),
        migrations.CreateModel(
            name='ModelChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('purpose', models.CharField(choices=[('chat', 'Chat'), ('assess', 'Assessor'), ('embed', 'Embeddings of new spaces')], max_length=10, verbose_name='purpose')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('space', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
                ('connection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='choices', to='memory.modelconnection', verbose_name='model connection')),
            ],
            options={
                'verbose_name': 'model choice',
                'verbose_name_plural': 'model choices',
            },
        ),
        migrations.CreateModel(
            name='ModelUsage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(verbose_name='day')),
                ('purpose', models.CharField(choices=[('chat', 'Chat'), ('assess', 'Assessment'), ('reconcile', 'Comparison with known memories'), ('summarise', 'Summaries'), ('embed', 'Embeddings')], max_length=10, verbose_name='purpose')),
                ('connection_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('connection_name', models.CharField(blank=True, max_length=60, verbose_name='model connection')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('calls', models.PositiveIntegerField(default=0, verbose_name='calls')),
                ('failed', models.PositiveIntegerField(default=0, verbose_name='failed')),
                ('unpriced', models.PositiveIntegerField(default=0, verbose_name='calls of unknown cost')),
                ('prompt_tokens', models.PositiveBigIntegerField(default=0, verbose_name='prompt tokens')),
                ('completion_tokens', models.PositiveBigIntegerField(default=0, verbose_name='completion tokens')),
                ('cost_usd', models.FloatField(default=0.0, verbose_name='cost (USD)')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'model usage',
                'verbose_name_plural': 'model usage',
            },
        ),
        migrations.CreateModel(
            name='PolicyVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField(verbose_name='version')),
                ('document', models.JSONField(verbose_name='document')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('actor_type', models.CharField(choices=[('user', 'user'), ('key', 'API key'), ('assessor', 'assessor'), ('assistant', 'assistant'), ('system', 'Ebb')], max_length=10, verbose_name='actor type')),
                ('actor_name', models.CharField(blank=True, max_length=150, verbose_name='actor')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='policy_versions', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'policy version',
                'verbose_name_plural': 'policy versions',
            },
        ),
        migrations.CreateModel(
            name='RelevanceMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('query', models.TextField(verbose_name='question')),
                ('query_digest', models.GeneratedField(db_persist=True, expression=django.db.models.functions.text.MD5('query'), output_field=models.CharField(max_length=32))),
                ('relevant', models.BooleanField(verbose_name='relevant')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='marked by')),
                ('memory', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='relevance_marks', to='memory.memory', verbose_name='memory')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'relevance label',
                'verbose_name_plural': 'relevance labels',
            },
        ),
        migrations.CreateModel(
            name='SavedQuery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('query', models.TextField(verbose_name='question')),
                ('query_digest', models.GeneratedField(db_persist=True, expression=django.db.models.functions.text.MD5('query'), output_field=models.CharField(max_length=32))),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'saved question',
                'verbose_name_plural': 'saved questions',
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('url', models.URLField(max_length=2000, verbose_name='address')),
                ('sealed_secret', models.TextField(db_default='', default='', editable=False)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('memory.created', 'memory created'), ('memory.revised', 'memory revised'), ('memory.superseded', 'memory superseded'), ('memory.expired', 'memory expired'), ('memory.evicted', 'memory evicted'), ('memory.deleted', 'memory deleted'), ('memory.restored', 'memory restored'), ('memory.purged', 'memory purged'), ('memory.held', 'memory sent to review'), ('user.erased', 'user erased'), ('assessment.failed', 'assessment failed')], max_length=20), size=None, verbose_name='events')),
                ('active', models.BooleanField(default=True, verbose_name='active')),
                ('switched_off', models.CharField(blank=True, max_length=200, verbose_name='reason for switching off')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('leased_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'webhook',
                'verbose_name_plural': 'webhooks',
            },
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('user_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_user], verbose_name='user ID')),
                ('event', models.CharField(max_length=20, verbose_name='event')),
                ('event_id', models.BigIntegerField(editable=False, null=True)),
                ('payload', models.JSONField(verbose_name='message')),
                ('state', models.CharField(choices=[('pending', 'pending'), ('delivered', 'delivered'), ('failed', 'failed')], default='pending', max_length=9, verbose_name='state')),
                ('attempts', models.PositiveSmallIntegerField(default=0, verbose_name='attempts')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='next attempt')),
                ('tried_at', models.DateTimeField(blank=True, null=True, verbose_name='last attempt')),
                ('took_ms', models.FloatField(blank=True, null=True, verbose_name='duration')),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='status code')),
                ('response', models.TextField(blank=True, verbose_name='response')),
                ('error', models.TextField(blank=True, verbose_name='error')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
                ('webhook', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='memory.webhook', verbose_name='webhook')),
            ],
            options={
                'verbose_name': 'delivery',
                'verbose_name_plural': 'deliveries',
            },
        ),
        migrations.CreateModel(
            name='ConsolidationProposal',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('user_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_user], verbose_name='user ID')),
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
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'consolidation proposal',
                'verbose_name_plural': 'consolidation proposals',
                'indexes': [models.Index(fields=['space', 'state', '-created_at', 'id'], name='proposal_by_state'), models.Index(fields=['space', 'job_id'], name='proposal_by_job'), models.Index(fields=['space', 'action_id'], name='proposal_by_action'), models.Index(fields=['space', 'result_id'], name='proposal_by_result'), django.contrib.postgres.indexes.GinIndex(fields=['sources'], name='proposal_by_source')],
            },
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['space', '-created_at', 'id'], name='job_by_time'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('state__in', ['queued', 'running'])), fields=['enqueued_at'], name='job_unfinished'),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'running'])), fields=('space', 'kind', 'user_id'), name='job_one_of_a_kind_and_user', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='jobpart',
            constraint=models.UniqueConstraint(fields=('space', 'job', 'number'), name='job_part_once_per_number'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['space', 'status', 'created_at', 'id'], name='memory_by_age'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(models.F('space'), models.F('expires_at'), condition=models.Q(('status', 'live')), name='memory_live_expiry'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('status', 'binned')), fields=['space', 'binned_at', 'id'], include=('bin_reason',), name='memory_in_bin'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(models.F('space'), models.OrderBy(models.F('importance'), descending=True), condition=models.Q(('status', 'live')), name='memory_live_importance'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('status', 'live')), fields=['space'], include=('id', 'created_at', 'importance', 'use_count', 'core', 'pinned', 'expires_at', 'last_active_at', 'restored_at', 'memory_type', 'user_id'), name='memory_live_columns'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('user_id__isnull', False)), fields=['space', 'user_id', 'status'], name='memory_by_user'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['created_at', 'id'], name='memory_of_all_by_age'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(models.F('space'), models.F('source_conversation'), models.F('created_at'), models.F('source_position'), condition=models.Q(('source_conversation', ''), _negated=True), name='memory_turns'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=django.contrib.postgres.indexes.GinIndex(models.Func(models.F('search'), models.Func(models.Func(models.Value('@'), django.db.models.functions.comparison.Cast('space_id', models.TextField()), arg_joiner=' || ', template='%(expressions)s'), template='array_to_tsvector(ARRAY[%(expressions)s])'), arg_joiner=' || ', output_field=django.contrib.postgres.search.SearchVectorField(), template='(%(expressions)s)'), name='memory_search_in_space'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=django.contrib.postgres.indexes.GinIndex(fields=['metadata'], name='memory_metadata', opclasses=['jsonb_path_ops']),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('valid_to__isnull', False)), fields=['space', 'superseded_by'], name='memory_by_successor'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(fields=('space', 'short_id'), name='memory_short_id_in_space'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(condition=models.Q(('legacy_id', ''), _negated=True), fields=('space', 'legacy_id'), name='memory_legacy_id_in_space'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(condition=models.Q(('external_id__isnull', False)), fields=('space', 'user_id', 'external_id'), name='memory_external_id_in_space_of_user', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(fields=('space', 'source_assessment', 'source_place'), name='memory_per_place'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('importance__gte', 0.0), ('importance__lte', 1.0)), name='memory_importance_0_1'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('content', ''), _negated=True), name='memory_content_not_empty'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('binned_at__isnull', False), ('status', 'binned')), models.Q(models.Q(('status', 'binned'), _negated=True), ('binned_at__isnull', True)), _connector='OR'), name='memory_binned_has_time'),
        ),
        migrations.AddConstraint(
            model_name='idempotentwrite',
            constraint=models.UniqueConstraint(fields=('space', 'key', 'position'), name='write_once_per_idempotency_key'),
        ),
        migrations.AddConstraint(
            model_name='furtherembedding',
            constraint=models.UniqueConstraint(fields=('space', 'embedder', 'memory', 'place'), name='further_embedding_once'),
        ),
        migrations.AddConstraint(
            model_name='memoryembedding',
            constraint=models.UniqueConstraint(fields=('space', 'embedder', 'memory'), name='embedding_once_per_memory'),
        ),
        migrations.AddIndex(
            model_name='memoryevent',
            index=models.Index(fields=['space', 'at', 'id'], name='event_by_time'),
        ),
        migrations.AddIndex(
            model_name='memoryevent',
            index=models.Index(fields=['space', 'memory_id', 'at'], name='event_by_memory'),
        ),
        migrations.AddIndex(
            model_name='memoryevent',
            index=models.Index(condition=models.Q(('user_id__isnull', False)), fields=['space', 'user_id', 'at', 'id'], name='event_by_user'),
        ),
        migrations.AddIndex(
            model_name='memoryevent',
            index=models.Index(fields=['space', 'action_id'], name='event_by_action_id'),
        ),
        migrations.AddIndex(
            model_name='memoryevent',
            index=models.Index(fields=['space', 'action', 'at', 'id'], include=('memory_id',), name='event_by_action'),
        ),
        migrations.AddIndex(
            model_name='memoryevent',
            index=models.Index(condition=models.Q(('action__in', ['restored', 'purged'])), fields=['space', 'memory_id', 'id'], include=('reason',), name='event_out_of_the_bin'),
        ),
        migrations.AddConstraint(
            model_name='memoryrevision',
            constraint=models.UniqueConstraint(fields=('space', 'memory', 'number'), name='revision_once_per_number'),
        ),
        migrations.AddConstraint(
            model_name='modelchoice',
            constraint=models.UniqueConstraint(fields=('purpose', 'space'), name='model_choice_of_space'),
        ),
        migrations.AddConstraint(
            model_name='modelchoice',
            constraint=models.UniqueConstraint(condition=models.Q(('space', None)), fields=('purpose',), name='model_choice_of_installation'),
        ),
        migrations.AddConstraint(
            model_name='modelusage',
            constraint=models.UniqueConstraint(fields=('space', 'day', 'purpose', 'connection_id', 'model'), name='model_usage_once_per_day', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='policyversion',
            constraint=models.UniqueConstraint(fields=('space', 'version'), name='policy_once_per_version'),
        ),
        migrations.AddConstraint(
            model_name='relevancemark',
            constraint=models.UniqueConstraint(fields=('space', 'query_digest', 'memory'), name='relevance_once_per_question_and_memory'),
        ),
        migrations.AddConstraint(
            model_name='savedquery',
            constraint=models.UniqueConstraint(fields=('space', 'query_digest'), name='saved_query_once'),
        ),
        migrations.AddIndex(
            model_name='webhook',
            index=models.Index(fields=['space', 'created_at'], name='webhook_by_time'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(fields=['space', 'webhook', 'created_at', 'id'], name='delivery_by_time'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['webhook', 'due_at'], name='delivery_due'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.UniqueConstraint(fields=('space', 'webhook', 'event_id'), name='delivery_once_per_event'),
        ),
        SpaceKeys(
            'ConsolidationProposal', 'FurtherEmbedding', 'IdempotentWrite', 'Job', 'JobPart',
            'Memory', 'MemoryEmbedding', 'MemoryEvent', 'MemoryRevision', 'ModelUsage',
            'PolicyVersion', 'RelevanceMark', 'SavedQuery', 'Webhook',
            'WebhookDelivery',
        ),
        migrations.RunSQL(
            # Recall reads the search index of a memory once for each word of the question.
            'ALTER TABLE memory_memory ALTER COLUMN search SET STORAGE EXTERNAL,'
            ' SET (toast_tuple_target = 8160)',
            migrations.RunSQL.noop,
        ),
    ]
