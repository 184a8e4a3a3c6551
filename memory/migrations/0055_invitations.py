"""Invitations that wait for an answer, and members' names in their spaces."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0054_index_large_spaces'),
    ]

    operations = [
        migrations.AddField(
            model_name='membership',
            name='name',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=150, verbose_name='name in the space'),
        ),
        migrations.AddField(
            model_name='user',
            name='is_vouched',
            field=models.BooleanField(db_default=False, default=True, help_text='Invitations to this name are shown to this account.', verbose_name='name is confirmed'),
        ),
        migrations.AlterField(
            model_name='auditentry',
            name='action',
            field=models.CharField(choices=[('space.created', 'space created'), ('space.renamed', 'space renamed'), ('space.closed', 'space deletion started'), ('space.reopened', 'space restored'), ('key.created', 'key created'), ('key.changed', 'key changed'), ('key.rotated', 'key rotated'), ('key.revoked', 'key revoked'), ('member.added', 'member added'), ('member.changed', 'member changed'), ('member.removed', 'member removed'), ('member.invited', 'invitation created'), ('member.uninvited', 'invitation withdrawn'), ('member.declined', 'invitation declined'), ('member.linked', 'login link created'), ('account.created', 'account created'), ('account.connected', 'account connected'), ('factor.on', 'second factor turned on'), ('factor.off', 'second factor turned off'), ('user.erased', 'user erased'), ('webhook.created', 'webhook created'), ('webhook.changed', 'webhook changed'), ('webhook.rotated', 'webhook rotated'), ('webhook.deleted', 'webhook deleted'), ('connection.added', 'model connection added'), ('connection.changed', 'model connection changed'), ('connection.deleted', 'model connection deleted'), ('model.chosen', 'model chosen'), ('model.unchosen', 'model choice removed'), ('embedder.chosen', 'embedding model chosen'), ('message.redacted', 'message redacted'), ('conversation.shared', 'conversation shared'), ('conversation.private', 'sharing stopped'), ('assessment.again', 're-assessed')], max_length=20, verbose_name='action'),
        ),
        migrations.AlterField(
            model_name='installationauditentry',
            name='action',
            field=models.CharField(choices=[('space.created', 'space created'), ('space.renamed', 'space renamed'), ('space.closed', 'space deletion started'), ('space.reopened', 'space restored'), ('key.created', 'key created'), ('key.changed', 'key changed'), ('key.rotated', 'key rotated'), ('key.revoked', 'key revoked'), ('member.added', 'member added'), ('member.changed', 'member changed'), ('member.removed', 'member removed'), ('member.invited', 'invitation created'), ('member.uninvited', 'invitation withdrawn'), ('member.declined', 'invitation declined'), ('member.linked', 'login link created'), ('account.created', 'account created'), ('account.connected', 'account connected'), ('factor.on', 'second factor turned on'), ('factor.off', 'second factor turned off'), ('user.erased', 'user erased'), ('webhook.created', 'webhook created'), ('webhook.changed', 'webhook changed'), ('webhook.rotated', 'webhook rotated'), ('webhook.deleted', 'webhook deleted'), ('connection.added', 'model connection added'), ('connection.changed', 'model connection changed'), ('connection.deleted', 'model connection deleted'), ('model.chosen', 'model chosen'), ('model.unchosen', 'model choice removed'), ('embedder.chosen', 'embedding model chosen'), ('message.redacted', 'message redacted'), ('conversation.shared', 'conversation shared'), ('conversation.private', 'sharing stopped'), ('assessment.again', 're-assessed')], max_length=20, verbose_name='action'),
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
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='memory.space', verbose_name='space')),
            ],
            options={
                'verbose_name': 'invitation',
                'verbose_name_plural': 'invitations',
                'constraints': [models.UniqueConstraint(fields=('space', 'name'), name='invitation_once_per_name')],
            },
        ),
    ]
