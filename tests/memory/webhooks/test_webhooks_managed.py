"""Webhooks made, changed and looked at, by programs and on the page."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEntry, Space, User
from memory.models import Webhook
from memory.webhooks.services import send_test
from tests.conftest import ApiClient, MakeKey
from tests.memory.webhooks.receiver import Receiver
from tests.memory.webhooks.webhook_rounds import receiver, tell

__all__ = ["receiver"]


@pytest.mark.django_db
def test_webhooks_are_managed_by_a_key(
    key: MakeKey, space: Space, other_space: Space, receiver: Receiver
) -> None:
    steward = ApiClient(key())
    asked = {"url": receiver.url, "events": ["memory.revised", "memory.created"]}

    made = steward.post("webhooks", asked).json()
    at = f"webhooks/{made['id']}"
    assert made["secret"].startswith("whsec_")
    assert made["events"] == ["memory.created", "memory.revised"]
    assert "secret" not in steward.get(at).json()
    send_test(space=space, webhook_id=Webhook.objects.get().pk, now=timezone.now())
    receiver.answers(503, b"busy")
    tell(Webhook.objects.get())

    [told] = steward.get(f"{at}/deliveries").json()["items"]
    assert (told["event"], told["status"], told["attempts"]) == ("test", "pending", 1)
    assert (told["response_status"], told["response"]) == (503, "busy")
    assert told["payload"]["data"] == {"space": "home", "message": "This is a test."}

    rotated = steward.post(f"{at}/rotate").json()
    assert rotated["secret"].startswith("whsec_")
    assert rotated == made | {"secret": rotated["secret"]} != made
    assert "secret" not in steward.get(at).json()
    assert steward.patch(at, {"active": False}).json()["active"] is False
    assert steward.delete(at).status_code == 204
    assert steward.get("webhooks").json()["items"] == []
    noted = AuditEntry.objects.in_space(space).filter(subject=receiver.url).order_by("pk")
    assert [entry.action for entry in noted] == [
        "webhook.created", "webhook.rotated", "webhook.changed", "webhook.deleted",
    ]  # fmt: skip
    assert rotated["secret"] not in str(list(noted.values()))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"url": "ftp://example.org"}, "url"),
        ({"url": "http://user:secret@example.org"}, "url"),
        ({"url": "http://127.0.0.1/"}, "url"),
        ({"url": "http://[::ffff:10.0.0.1]/"}, "url"),
        ({"url": "http://localhost/"}, "url"),
        ({"url": "http://2130706433/"}, "url"),
        ({"url": "http://0x7f.1/"}, "url"),
        ({"url": "https://example.org/" + "x" * 2000}, "url"),
        ({"events": []}, "events"),
        ({"events": ["memory.used"]}, "events.0"),
    ],
)
def test_wrong_webhook_is_refused(
    key: MakeKey, space: Space, body: dict[str, object], field: str
) -> None:
    asked = {"url": "https://example.org/hook", "events": ["memory.created"]} | body

    answer = ApiClient(key()).post("webhooks", asked)

    assert answer.status_code == 422, answer.content
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert not Webhook.objects.exists()


@pytest.mark.django_db
def test_page_makes_tests_and_shows_what_was_told(
    space: Space, alice: User, bob: User, receiver: Receiver
) -> None:
    client = Client()
    client.force_login(bob)
    page = reverse("webhooks", args=[space.slug])
    assert client.get(page).status_code == 403
    client.force_login(alice)

    made = client.post(
        reverse("webhooks_create", args=[space.slug]),
        {"url": receiver.url, "events": ["memory.created"]},
    )
    webhook = Webhook.objects.get()
    assert webhook.secret in made.text
    one = [space.slug, webhook.pk]
    assert webhook.secret not in client.get(page).text
    client.post(reverse("webhooks_test", args=one))
    receiver.answers(500, b"<b>broken</b>")
    [row] = tell(webhook)
    log = client.get(reverse("webhook", args=one)).text
    assert "&lt;b&gt;broken&lt;/b&gt;" in log
    client.post(reverse("webhooks_redeliver", args=[*one, row.pk]))
    assert tell(webhook)[0].state == "delivered"
    for htmx in ({}, {"HX-Request": "true"}):
        rotated = client.post(reverse("webhooks_rotate", args=one), headers=htmx)
        assert webhook.secret not in rotated.text
        webhook.refresh_from_db()
        assert webhook.secret in rotated.text
        assert rotated["Cache-Control"] == "no-store"
    assert webhook.secret not in client.get(reverse("webhook", args=one)).text
    client.post(reverse("webhooks_switch", args=one), {"active": "no"})
    assert not Webhook.objects.get().active
    client.post(reverse("webhooks_delete", args=one))
    assert not Webhook.objects.exists()
