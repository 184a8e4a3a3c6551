"""Secrets of webhooks are stored encrypted, and survive a change of SECRET_KEY."""

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space
from foundation.readers import EVERYONE
from memory.models import DeliveryState, Webhook
from memory.transfer.export import export_lines
from memory.webhooks.services import send_test
from tests.memory.webhooks.receiver import Receiver
from tests.memory.webhooks.webhook_rounds import hook, receiver, tell

__all__ = ["receiver"]

pytestmark = pytest.mark.django_db


def rows() -> str:
    """The table as a backup has it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT json_agg(w)::text FROM memory_webhook w")
        return str(cursor.fetchone())


def test_neither_the_table_nor_an_export_has_the_secret(space: Space, receiver: Receiver) -> None:
    secret = hook(space, receiver.url).secret

    assert secret.startswith("whsec_")
    assert secret not in rows()
    assert Webhook.objects.get().secret == secret
    lines = "".join(export_lines(space, EVERYONE, now=timezone.now()))
    assert secret not in lines
    assert Webhook.objects.get().sealed_secret not in lines


def test_a_secret_survives_a_rotation_of_the_secret_key(
    space: Space, receiver: Receiver, settings: Settings
) -> None:
    secret, before = hook(space, receiver.url).secret, settings.SECRET_KEY
    settings.SECRET_KEY = "a new secret key of this installation"
    with pytest.raises(CommandError, match=re.escape(receiver.url)):
        call_command("reseal_keys", stdout=StringIO())
    settings.SECRET_KEY_FALLBACKS = [before]
    assert Webhook.objects.get().secret == secret

    call_command("reseal_keys", stdout=StringIO())

    settings.SECRET_KEY_FALLBACKS = []
    assert Webhook.objects.get().secret == secret


def test_nothing_is_sent_while_the_secret_cannot_be_read(
    space: Space, receiver: Receiver, settings: Settings
) -> None:
    webhook = hook(space, receiver.url)
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
    settings.SECRET_KEY = "another secret key"

    [delivery] = tell(webhook)

    assert receiver.got == []
    assert (delivery.state, delivery.attempts) == (DeliveryState.PENDING, 1)
    assert "Rotate the secret" in delivery.error
