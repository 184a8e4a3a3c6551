from django.db import migrations, models


class Migration(migrations.Migration):
    """A webhook's secret gets a column for its sealed form. The column of the plain one stays for
    the version before. The activity log gets the redaction of messages."""

    dependencies = [
        ('memory', '0041_consolidation'),
    ]

    operations = [
        migrations.AddField(
            model_name='webhook',
            name='sealed_secret',
            field=models.TextField(db_default='', default='', editable=False),
        ),
        migrations.AlterField(
            model_name='webhook',
            name='secret',
            field=models.CharField(db_default='', default='', editable=False, max_length=80),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField(
                    model_name='webhook', old_name='secret', new_name='plain_secret'
                ),
                migrations.AlterField(
                    model_name='webhook',
                    name='plain_secret',
                    field=models.CharField(db_column='secret', db_default='', default='', editable=False, max_length=80),
                ),
            ],
        ),
        migrations.AlterField(
            model_name='auditentry',
            name='action',
            field=models.CharField(choices=[('space.created', 'space created'), ('space.renamed', 'space renamed'), ('space.closed', 'space deletion started'), ('space.reopened', 'space restored'), ('key.created', 'key created'), ('key.changed', 'key changed'), ('key.rotated', 'key rotated'), ('key.revoked', 'key revoked'), ('member.added', 'member added'), ('member.changed', 'member changed'), ('member.removed', 'member removed'), ('member.linked', 'login link created'), ('user.erased', 'user erased'), ('webhook.created', 'webhook created'), ('webhook.changed', 'webhook changed'), ('webhook.rotated', 'webhook rotated'), ('webhook.deleted', 'webhook deleted'), ('connection.added', 'model connection added'), ('connection.changed', 'model connection changed'), ('connection.deleted', 'model connection deleted'), ('model.chosen', 'model chosen'), ('model.unchosen', 'model choice removed'), ('embedder.chosen', 'embedding model chosen'), ('message.redacted', 'message redacted'), ('assessment.again', 're-assessed')], max_length=20, verbose_name='action'),
        ),
        migrations.AlterField(
            model_name='installationauditentry',
            name='action',
            field=models.CharField(choices=[('space.created', 'space created'), ('space.renamed', 'space renamed'), ('space.closed', 'space deletion started'), ('space.reopened', 'space restored'), ('key.created', 'key created'), ('key.changed', 'key changed'), ('key.rotated', 'key rotated'), ('key.revoked', 'key revoked'), ('member.added', 'member added'), ('member.changed', 'member changed'), ('member.removed', 'member removed'), ('member.linked', 'login link created'), ('user.erased', 'user erased'), ('webhook.created', 'webhook created'), ('webhook.changed', 'webhook changed'), ('webhook.rotated', 'webhook rotated'), ('webhook.deleted', 'webhook deleted'), ('connection.added', 'model connection added'), ('connection.changed', 'model connection changed'), ('connection.deleted', 'model connection deleted'), ('model.chosen', 'model chosen'), ('model.unchosen', 'model choice removed'), ('embedder.chosen', 'embedding model chosen'), ('message.redacted', 'message redacted'), ('assessment.again', 're-assessed')], max_length=20, verbose_name='action'),
        ),
    ]
