"""Webhooks made and told, as beat and a worker do it, for the tests of them."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space, WebhookEvent
from foundation.actors import SYSTEM
from memory.models import Webhook, WebhookDelivery
from memory.tasks import deliver
from memory.webhooks import deliveries
from memory.webhooks.services import create_webhook
from tests.memory.webhooks.receiver import Receiver, receiving

ALL: list[str] = WebhookEvent.values


@pytest.fixture
def receiver(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    settings.EBB_WEBHOOKS_PRIVATE = True
    # On a busy machine an answer takes seconds, and no receiver shall rest for that.
    monkeypatch.setattr(deliveries, "WAITED", 14_000.0)
    monkeypatch.setattr(deliveries, "BUDGET", timedelta(minutes=5))
    with receiving() as server:
        yield server


def hook(space: Space, url: str, events: list[str] = ALL) -> Webhook:
    now = timezone.now()
    return create_webhook(space=space, url=url, events=events, actor=SYSTEM, now=now)


def tell(webhook: Webhook) -> list[WebhookDelivery]:
    """One round of a worker; what there is to say of each message."""
    deliver(webhook.space_id, str(webhook.pk))
    return list(WebhookDelivery.objects.filter(webhook=webhook).order_by("created_at", "event_id"))
