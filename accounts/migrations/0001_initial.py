import accounts.models.zones
import foundation.readers
import django.contrib.auth.models
import django.contrib.auth.validators
import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from foundation.database.space_keys import SpaceKeys


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='InstallationKey',
            fields=[
                ('id', models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID(), editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(blank=True, max_length=120, verbose_name='name')),
                ('prefix', models.CharField(max_length=16, verbose_name='prefix')),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('expires_at', models.DateTimeField(blank=True, null=True, verbose_name='expires')),
                ('last_used_at', models.DateTimeField(blank=True, null=True, verbose_name='last used')),
                ('revoked_at', models.DateTimeField(blank=True, null=True, verbose_name='revoked')),
            ],
            options={
                'verbose_name': 'installation key',
                'verbose_name_plural': 'installation keys',
                'ordering': ('-created_at',),
            },
        ),
        migrations.CreateModel(
            name='LimitCount',
            fields=[
                ('key', models.CharField(max_length=160, primary_key=True, serialize=False)),
                ('started_at', models.DateTimeField()),
                ('count', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('saw_why_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('hid_first_steps_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('is_vouched', models.BooleanField(db_default=False, default=True, help_text='Invitations to this name are shown to this account.', verbose_name='name is confirmed')),
                ('time_zone', models.CharField(blank=True, db_default='', default='', max_length=64, validators=[accounts.models.zones.validate_zone], verbose_name='time zone')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='Embedder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=60, verbose_name='provider')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('dimensions', models.PositiveIntegerField(verbose_name='dimensions')),
            ],
            options={
                'verbose_name': 'embedding model',
                'verbose_name_plural': 'embedding models',
                'constraints': [models.UniqueConstraint(fields=('provider', 'model'), name='embedder_once_per_model')],
            },
        ),
        migrations.CreateModel(
            name='InstallationAuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='time')),
                ('actor_type', models.CharField(choices=[('user', 'user'), ('key', 'API key'), ('assessor', 'assessor'), ('assistant', 'assistant'), ('system', 'Ebb')], max_length=10, verbose_name='actor type')),
                ('actor_name', models.CharField(blank=True, max_length=150, verbose_name='actor')),
                ('action', models.CharField(choices=[('space.created', 'space created'), ('space.renamed', 'space renamed'), ('space.changed', 'space changed'), ('space.closed', 'space deletion started'), ('space.reopened', 'space restored'), ('key.created', 'key created'), ('key.changed', 'key changed'), ('key.rotated', 'key rotated'), ('key.revoked', 'key revoked'), ('member.added', 'member added'), ('member.changed', 'member changed'), ('member.removed', 'member removed'), ('member.invited', 'invitation created'), ('member.uninvited', 'invitation withdrawn'), ('member.declined', 'invitation declined'), ('member.linked', 'login link created'), ('account.created', 'account created'), ('account.connected', 'account connected'), ('factor.on', 'second factor turned on'), ('factor.off', 'second factor turned off'), ('user.erased', 'user erased'), ('webhook.created', 'webhook created'), ('webhook.changed', 'webhook changed'), ('webhook.rotated', 'webhook rotated'), ('webhook.deleted', 'webhook deleted'), ('connection.added', 'model connection added'), ('connection.changed', 'model connection changed'), ('connection.deleted', 'model connection deleted'), ('model.chosen', 'model chosen'), ('model.unchosen', 'model choice removed'), ('embedder.chosen', 'embedding model chosen'), ('message.redacted', 'message redacted'), ('conversation.shared', 'conversation shared'), ('conversation.private', 'sharing stopped'), ('assessment.again', 're-assessed')], max_length=20, verbose_name='action')),
                ('subject', models.CharField(max_length=200, verbose_name='subject')),
                ('detail', models.JSONField(default=dict, verbose_name='details')),
            ],
            options={
                'verbose_name': 'activity log entry of the installation',
                'verbose_name_plural': 'activity log of the installation',
                'indexes': [models.Index(fields=['at', 'id'], name='installation_audit_by_time')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'owner'), ('editor', 'editor'), ('viewer', 'viewer')], max_length=10, verbose_name='role')),
                ('name', models.CharField(blank=True, db_default='', default='', editable=False, max_length=150, verbose_name='name in the space')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'verbose_name': 'member',
                'verbose_name_plural': 'members',
            },
        ),
        migrations.CreateModel(
            name='Space',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True, verbose_name='short name')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('closed_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='closed')),
                ('vectors_indexed', models.BooleanField(db_default=False, default=False, editable=False)),
                ('time_zone', models.CharField(blank=True, db_default='', default='', max_length=64, validators=[accounts.models.zones.validate_zone], verbose_name='time zone')),
                ('embedder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='spaces', to='accounts.embedder', verbose_name='embedding model')),
                ('members', models.ManyToManyField(related_name='spaces', through='accounts.Membership', to=settings.AUTH_USER_MODEL, verbose_name='members')),
                ('next_embedder', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.embedder', verbose_name='next embedding model')),
            ],
            options={
                'verbose_name': 'space',
                'verbose_name_plural': 'spaces',
                'ordering': ('slug',),
            },
        ),
        migrations.AddField(
            model_name='membership',
            name='space',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='accounts.space', verbose_name='space'),
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=150, verbose_name='name')),
                ('role', models.CharField(choices=[('owner', 'owner'), ('editor', 'editor'), ('viewer', 'viewer')], max_length=10, verbose_name='role')),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('is_mailed', models.BooleanField(default=False, editable=False)),
                ('created_at', models.DateTimeField(verbose_name='created')),
                ('expires_at', models.DateTimeField(verbose_name='expires')),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'invitation',
                'verbose_name_plural': 'invitations',
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='time')),
                ('actor_type', models.CharField(choices=[('user', 'user'), ('key', 'API key'), ('assessor', 'assessor'), ('assistant', 'assistant'), ('system', 'Ebb')], max_length=10, verbose_name='actor type')),
                ('actor_name', models.CharField(blank=True, max_length=150, verbose_name='actor')),
                ('action', models.CharField(choices=[('space.created', 'space created'), ('space.renamed', 'space renamed'), ('space.changed', 'space changed'), ('space.closed', 'space deletion started'), ('space.reopened', 'space restored'), ('key.created', 'key created'), ('key.changed', 'key changed'), ('key.rotated', 'key rotated'), ('key.revoked', 'key revoked'), ('member.added', 'member added'), ('member.changed', 'member changed'), ('member.removed', 'member removed'), ('member.invited', 'invitation created'), ('member.uninvited', 'invitation withdrawn'), ('member.declined', 'invitation declined'), ('member.linked', 'login link created'), ('account.created', 'account created'), ('account.connected', 'account connected'), ('factor.on', 'second factor turned on'), ('factor.off', 'second factor turned off'), ('user.erased', 'user erased'), ('webhook.created', 'webhook created'), ('webhook.changed', 'webhook changed'), ('webhook.rotated', 'webhook rotated'), ('webhook.deleted', 'webhook deleted'), ('connection.added', 'model connection added'), ('connection.changed', 'model connection changed'), ('connection.deleted', 'model connection deleted'), ('model.chosen', 'model chosen'), ('model.unchosen', 'model choice removed'), ('embedder.chosen', 'embedding model chosen'), ('message.redacted', 'message redacted'), ('conversation.shared', 'conversation shared'), ('conversation.private', 'sharing stopped'), ('assessment.again', 're-assessed')], max_length=20, verbose_name='action')),
                ('subject', models.CharField(max_length=200, verbose_name='subject')),
                ('detail', models.JSONField(default=dict, verbose_name='details')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'activity log entry',
                'verbose_name_plural': 'activity log',
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID(), editable=False, unique=True)),
                ('user_id', models.CharField(blank=True, max_length=255, null=True, validators=[foundation.readers.validate_user], verbose_name='user ID')),
                ('name', models.CharField(blank=True, max_length=120, verbose_name='name')),
                ('prefix', models.CharField(max_length=12, verbose_name='prefix')),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('previous_digest', models.CharField(blank=True, editable=False, max_length=64, null=True, unique=True)),
                ('previous_until', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='previous secret works until')),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'read'), ('write', 'write'), ('admin', 'admin')], max_length=10), size=None, verbose_name='scopes')),
                ('rate_limit', models.PositiveIntegerField(blank=True, null=True, verbose_name='requests per minute')),
                ('learns', models.BooleanField(db_default=True, default=True, verbose_name='learns from requests')),
                ('spent_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('expires_at', models.DateTimeField(blank=True, null=True, verbose_name='expires')),
                ('last_used_at', models.DateTimeField(blank=True, null=True, verbose_name='last used')),
                ('revoked_at', models.DateTimeField(blank=True, null=True, verbose_name='revoked')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_keys', to='accounts.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'API key',
                'verbose_name_plural': 'API keys',
                'ordering': ('-created_at',),
            },
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('space', 'user'), name='membership_once_per_space'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.UniqueConstraint(fields=('space', 'name'), name='invitation_once_per_name'),
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(fields=['space', 'at', 'id'], name='audit_by_time'),
        ),
        SpaceKeys(
            'AuditEntry',
        ),
        migrations.RunSQL('ALTER TABLE accounts_limitcount SET UNLOGGED', migrations.RunSQL.noop),
    ]
