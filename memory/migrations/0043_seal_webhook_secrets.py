"""Seal the secrets of webhooks, and empty the column with the plain ones."""

from typing import Any

from django.db import migrations

from memory.sealing import seal, unseal


def seal_all(apps: Any, schema_editor: Any) -> None:
    for webhook in apps.get_model('memory', 'Webhook').objects.exclude(plain_secret=''):
        webhook.sealed_secret, webhook.plain_secret = seal(webhook.plain_secret), ''
        webhook.save(update_fields=['sealed_secret', 'plain_secret'])


def unseal_all(apps: Any, schema_editor: Any) -> None:
    for webhook in apps.get_model('memory', 'Webhook').objects.exclude(sealed_secret=''):
        webhook.plain_secret, webhook.sealed_secret = unseal(webhook.sealed_secret), ''
        webhook.save(update_fields=['sealed_secret', 'plain_secret'])


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0042_sealed_webhook_secrets'),
    ]

    operations = [
        migrations.RunPython(seal_all, unseal_all),
    ]
