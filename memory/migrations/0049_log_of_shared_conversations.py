from django.db import migrations, models


class Migration(migrations.Migration):
    """The activity log gets the sharing of conversations."""

    dependencies = [
        ('memory', '0048_sign_in'),
    ]

    operations = [
        migrations.AlterField(
            model_name='auditentry',
            name='action',
            field=models.CharField(choices=[('space.created', 'space created'), ('space.renamed', 'space renamed'), ('space.closed', 'space deletion started'), ('space.reopened', 'space restored'), ('key.created', 'key created'), ('key.changed', 'key changed'), ('key.rotated', 'key rotated'), ('key.revoked', 'key revoked'), ('member.added', 'member added'), ('member.changed', 'member changed'), ('member.removed', 'member removed'), ('member.linked', 'login link created'), ('account.created', 'account created'), ('account.connected', 'account connected'), ('factor.on', 'second factor turned on'), ('factor.off', 'second factor turned off'), ('user.erased', 'user erased'), ('webhook.created', 'webhook created'), ('webhook.changed', 'webhook changed'), ('webhook.rotated', 'webhook rotated'), ('webhook.deleted', 'webhook deleted'), ('connection.added', 'model connection added'), ('connection.changed', 'model connection changed'), ('connection.deleted', 'model connection deleted'), ('model.chosen', 'model chosen'), ('model.unchosen', 'model choice removed'), ('embedder.chosen', 'embedding model chosen'), ('message.redacted', 'message redacted'), ('conversation.shared', 'conversation shared'), ('conversation.private', 'sharing stopped'), ('assessment.again', 're-assessed')], max_length=20, verbose_name='action'),
        ),
        migrations.AlterField(
            model_name='installationauditentry',
            name='action',
            field=models.CharField(choices=[('space.created', 'space created'), ('space.renamed', 'space renamed'), ('space.closed', 'space deletion started'), ('space.reopened', 'space restored'), ('key.created', 'key created'), ('key.changed', 'key changed'), ('key.rotated', 'key rotated'), ('key.revoked', 'key revoked'), ('member.added', 'member added'), ('member.changed', 'member changed'), ('member.removed', 'member removed'), ('member.linked', 'login link created'), ('account.created', 'account created'), ('account.connected', 'account connected'), ('factor.on', 'second factor turned on'), ('factor.off', 'second factor turned off'), ('user.erased', 'user erased'), ('webhook.created', 'webhook created'), ('webhook.changed', 'webhook changed'), ('webhook.rotated', 'webhook rotated'), ('webhook.deleted', 'webhook deleted'), ('connection.added', 'model connection added'), ('connection.changed', 'model connection changed'), ('connection.deleted', 'model connection deleted'), ('model.chosen', 'model chosen'), ('model.unchosen', 'model choice removed'), ('embedder.chosen', 'embedding model chosen'), ('message.redacted', 'message redacted'), ('conversation.shared', 'conversation shared'), ('conversation.private', 'sharing stopped'), ('assessment.again', 're-assessed')], max_length=20, verbose_name='action'),
        ),
    ]
