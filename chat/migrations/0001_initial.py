import accounts.models.zones
import foundation.readers
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from foundation.database.space_keys import SpaceKeys


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('assessor', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Conversation',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('user_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_user], verbose_name='user ID')),
                ('agent_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_name], verbose_name='agent ID')),
                ('session_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_name], verbose_name='session ID')),
                ('title', models.CharField(blank=True, max_length=120, verbose_name='title')),
                ('memory', models.CharField(choices=[('on', 'memory on'), ('read_only', 'memory read-only'), ('off', 'memory off')], db_default='on', default='on', max_length=9, verbose_name='memory')),
                ('external_id', models.CharField(blank=True, db_default='', max_length=220, verbose_name="client's conversation ID")),
                ('profile', models.CharField(blank=True, db_default='', max_length=32, verbose_name='ranking profile')),
                ('model', models.CharField(blank=True, db_default='', max_length=120, verbose_name='model')),
                ('system_prompt', models.TextField(blank=True, db_default='', verbose_name='system prompt')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('time_zone', models.CharField(blank=True, db_default='', default='', max_length=64, validators=[accounts.models.zones.validate_zone], verbose_name='time zone')),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='last message')),
                ('deleted_at', models.DateTimeField(blank=True, null=True, verbose_name='deleted')),
                ('shared_at', models.DateTimeField(blank=True, null=True, verbose_name='shared')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='started by')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conversations', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'conversation',
                'verbose_name_plural': 'conversations',
            },
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('position', models.PositiveIntegerField(verbose_name='position')),
                ('role', models.CharField(choices=[('user', 'user'), ('assistant', 'assistant')], max_length=9, verbose_name='role')),
                ('said_by', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_name], verbose_name='said by')),
                ('state', models.CharField(choices=[('pending', 'pending'), ('streaming', 'streaming'), ('done', 'done'), ('stopped', 'stopped'), ('failed', 'failed')], default='done', max_length=9, verbose_name='state')),
                ('leased_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('content', models.TextField(blank=True, verbose_name='content')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('error', models.TextField(blank=True, verbose_name='error')),
                ('error_code', models.CharField(blank=True, db_default='', editable=False, max_length=40)),
                ('model', models.CharField(blank=True, max_length=120, verbose_name='model')),
                ('usage', models.JSONField(blank=True, null=True, verbose_name='usage')),
                ('is_cut', models.BooleanField(db_default=False, default=False, verbose_name="cut off at the model's length limit")),
                ('recalled', models.JSONField(blank=True, default=list, verbose_name='recalled')),
                ('standing', models.JSONField(blank=True, db_default=[], default=list, verbose_name='standing rules')),
                ('recall_ms', models.FloatField(blank=True, null=True, verbose_name='recall time (ms)')),
                ('missed', models.JSONField(blank=True, default=list, verbose_name='just missed')),
                ('uses', models.JSONField(blank=True, db_default={}, default=dict, verbose_name='uses')),
                ('tool_calls', models.JSONField(blank=True, default=list, verbose_name='tool calls')),
                ('replaced_at', models.DateTimeField(blank=True, null=True, verbose_name='replaced')),
                ('assessment', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='assessor.assessment', verbose_name='assessment')),
                ('conversation', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='chat.conversation', verbose_name='conversation')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'message',
                'verbose_name_plural': 'messages',
            },
        ),
        migrations.CreateModel(
            name='IdempotentTurn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space')),
                ('reply', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='chat.message')),
            ],
            options={
                'verbose_name': 'idempotent turn',
                'verbose_name_plural': 'idempotent turns',
            },
        ),
        migrations.CreateModel(
            name='StoredResponse',
            fields=[
                ('id', models.CharField(editable=False, max_length=64, primary_key=True, serialize=False)),
                ('previous_id', models.CharField(blank=True, max_length=64)),
                ('items', models.JSONField(verbose_name='input')),
                ('body', models.JSONField(verbose_name='response')),
                ('created_at', models.DateTimeField(verbose_name='created')),
                ('conversation', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='responses', to='chat.conversation', verbose_name='conversation')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'response',
                'verbose_name_plural': 'responses',
            },
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(fields=['space', '-updated_at', 'id'], name='conversation_by_time'),
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(condition=models.Q(('user_id__isnull', False)), fields=['space', 'user_id', '-updated_at', 'id'], name='conversation_by_user'),
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(condition=models.Q(('external_id', ''), _negated=True), fields=['space', 'external_id'], name='conversation_by_external_id'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(models.F('space'), django.db.models.functions.text.MD5('content'), name='message_by_content'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(models.F('space'), django.db.models.functions.text.MD5(django.db.models.functions.text.Left('content', 120)), condition=models.Q(('role', 'user')), name='message_by_beginning'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(models.F('space'), django.db.models.functions.text.MD5(django.db.models.functions.text.Right('content', 120)), condition=models.Q(('role', 'user')), name='message_by_end'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('recall_ms__isnull', False)), fields=['space', '-created_at'], name='message_recalled_by_time'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('state__in', ['pending', 'streaming'])), fields=['created_at'], name='message_unfinished'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.UniqueConstraint(fields=('space', 'conversation', 'position'), name='message_once_per_position'),
        ),
        migrations.AddConstraint(
            model_name='idempotentturn',
            constraint=models.UniqueConstraint(fields=('space', 'key'), name='turn_once_per_idempotency_key'),
        ),
        migrations.AddIndex(
            model_name='storedresponse',
            index=models.Index(fields=['space', 'conversation', 'created_at'], name='response_by_conversation'),
        ),
        SpaceKeys(
            'Conversation', 'IdempotentTurn', 'Message', 'StoredResponse',
        ),
    ]
