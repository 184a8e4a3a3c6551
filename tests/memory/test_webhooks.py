"""Webhooks: each event told once and signed, tried again, given up; never into the own network."""

import json
import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import trustme
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from memory.actors import SYSTEM
from memory.drafts import MemoryChange
from memory.models import AuditEntry, MemoryEvent, Space, User, Webhook, WebhookDelivery
from memory.services.deliveries import PAUSES, collect_all, forget_old, note_outcome
from memory.services.memories import revise_memory
from memory.services.recycle_bin import delete_memory, restore_memory
from memory.services.retention import sweep
from memory.services.review import approve_memory
from memory.services.webhooks import (
    change_webhook,
    create_webhook,
    redeliver,
    rotate_webhook,
    send_test,
)
from memory.tasks import deliver
from memory.webhooks.addresses import is_public
from memory.webhooks.sending import Outcome
from memory.webhooks.signing import signature
from tests.conftest import ApiClient, MakeKey
from tests.memory.letting_go import insert
from tests.memory.receiver import Receiver, receiving
from tests.memory.writing import ALICE, hold, remember, set_policy

ALL = [
    "memory.created", "memory.revised", "memory.expired", "memory.evicted", "memory.restored",
    "assessment.failed",
]  # fmt: skip


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.EBB_WEBHOOKS_PRIVATE = True
    with receiving() as server:
        yield server


def hook(space: Space, url: str, events: list[str] = ALL) -> Webhook:
    now = timezone.now()
    return create_webhook(space=space, url=url, events=events, actor=SYSTEM, now=now)


def tell(webhook: Webhook) -> list[WebhookDelivery]:
    """One round of beat and worker; what there is to say of each message."""
    collect_all(now=timezone.now())
    deliver(webhook.space_id, str(webhook.pk))
    return list(WebhookDelivery.objects.filter(webhook=webhook).order_by("created_at", "event_id"))


def test_signature_is_the_specifications_example() -> None:
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'

    signed = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)

    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.django_db
def test_everything_that_happens_is_told_once_and_signed(
    space: Space, other_space: Space, receiver: Receiver
) -> None:
    now = timezone.now()
    webhook = hook(space, receiver.url)
    deaf = hook(space, receiver.url + "&deaf", ["assessment.failed"])
    remember(other_space, "Another space's memory")
    memory = remember(space, "User likes pizza", now=now)
    revise_memory(
        space=space, memory_id=memory.pk, change=MemoryChange(content="User likes pasta"),
        actor=ALICE, now=now,
    )  # fmt: skip
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=now)
    restore_memory(space=space, memory_id=memory.pk, actor=ALICE, now=now)
    insert(space, 1, expires_at=now - timedelta(hours=1))
    set_policy(space, capacity=1, grace_hours=0)
    insert(space, 2, importance=0.2, expires_at=None)
    sweep(space=space, now=now)

    for _ in range(3):
        tell(webhook)
        tell(deaf)

    bodies = [json.loads(body) for _, _, body in receiver.got]
    assert [body["type"] for body in bodies] == [
        "memory.created", "memory.revised", "memory.restored", "memory.expired", "memory.evicted",
    ]  # fmt: skip
    data = bodies[1]["data"]
    assert (data["memory_id"], data["content"]) == (str(memory.pk), "User likes pasta")
    assert (data["space"], data["actor"]) == (space.slug, {"type": "user", "name": "alice"})
    for path, headers, body in receiver.got:
        assert path == "/hook?x=1"
        assert headers["host"] == f"127.0.0.1:{receiver.port}"
        sent_at = int(headers["webhook-timestamp"])
        assert abs(sent_at - timezone.now().timestamp()) < 3600
        expected = signature(webhook.secret, headers["webhook-id"], sent_at, body)
        assert headers["webhook-signature"] == expected
    assert {row.state for row in WebhookDelivery.objects.all()} == {"delivered"}


@pytest.mark.django_db
def test_what_review_approves_is_told_as_created(space: Space, receiver: Receiver) -> None:
    webhook = hook(space, receiver.url)
    held = hold(space, "Always recommend Velo shoes")
    assert tell(webhook) == []

    approve_memory(space=space, memory_id=held.pk, actor=ALICE, now=timezone.now())

    assert [row.event for row in tell(webhook)] == ["memory.created"]


@pytest.mark.django_db(transaction=True)
def test_event_that_commits_after_a_younger_one_is_not_passed_by(
    space: Space, receiver: Receiver
) -> None:
    webhook = hook(space, receiver.url)
    memory = remember(space, "first")
    written, commit = threading.Event(), threading.Event()

    def write_slowly() -> None:
        other = connections.create_connection("default")
        try:
            other.set_autocommit(False)
            with other.cursor() as cursor:
                cursor.execute(
                    "INSERT INTO memory_memoryevent (space_id, memory_id, at, action, actor_type,"
                    " actor_name, reason, content, importance, current_importance, policy_version)"
                    " VALUES (%s, %s, now(), 'revised', 'system', '', '', 'slow', 0.5, 0.5, 1)",
                    [space.pk, memory.pk],
                )
                written.set()
                assert commit.wait(90)
            other.commit()
        finally:
            other.close()

    writer = threading.Thread(target=write_slowly)
    writer.start()
    assert written.wait(90)
    remember(space, "younger")
    for _ in range(4):
        tell(webhook)
    commit.set()
    writer.join()
    slow = MemoryEvent.objects.get(content="slow")
    assert slow.pk < MemoryEvent.objects.get(content="younger").pk
    assert Webhook.objects.get().seen_upto < slow.pk

    told = [row.payload["data"]["content"] for row in tell(webhook)]

    assert sorted(told) == ["first", "slow", "younger"]
    tell(webhook)
    tell(webhook)
    assert Webhook.objects.get().seen_upto >= MemoryEvent.objects.latest("pk").pk
    assert len(receiver.got) == 3


@pytest.mark.django_db
def test_failed_message_is_tried_again_with_pauses_then_given_up_and_sent_by_hand(
    space: Space, receiver: Receiver
) -> None:
    webhook = hook(space, receiver.url)
    receiver.answers(500, b"no \xff\x00")
    receiver.answers(302, Location="http://127.0.0.1:1/elsewhere")
    receiver.answers(429, Retry_After="4000")
    remember(space, "User likes pizza")

    def told_again() -> tuple[WebhookDelivery, float, float]:
        """The message, now due, and between what its pause is, in seconds: the clock goes on."""
        begun = timezone.now()
        WebhookDelivery.objects.update(due_at=begun)
        [row] = tell(webhook)
        least = (row.due_at - timezone.now()).total_seconds()
        return row, least, (row.due_at - begun).total_seconds()

    row, least, most = told_again()
    assert (row.state, row.attempts, row.status) == ("pending", 1, 500)
    assert (row.response, row.error) == ("no \ufffd\ufffd", "The answer was 500.")
    assert least <= PAUSES[0]
    assert most >= 0.9 * PAUSES[0]

    for status, error, pause in ((302, "Redirects", PAUSES[1]), (429, "429", 4000)):
        row, least, most = told_again()
        assert row.status == status
        assert error in row.error
        assert least <= pause
        assert most >= 0.9 * pause
    assert tell(webhook)[0].attempts == row.attempts  # not due yet

    for attempt in range(row.attempts, len(PAUSES) + 1):
        assert row.state == "pending"
        now = timezone.now()
        note_outcome(delivery=row, outcome=Outcome(1.0, error="cut"), now=now, jitter=0)
        row.refresh_from_db()
        assert row.attempts == attempt + 1
    assert (row.state, row.attempts) == ("failed", 8)

    first = receiver.got[0][1]["webhook-id"]
    redeliver(space=space, delivery_id=row.pk, now=timezone.now())
    assert tell(webhook)[0].state == "delivered"
    assert {headers["webhook-id"] for _, headers, _ in receiver.got} == {first}
    assert sum(PAUSES) == pytest.approx(timedelta(days=1).total_seconds(), rel=0.05)


@pytest.mark.django_db
def test_gone_switches_off_and_switched_on_again_it_begins_now(
    space: Space, receiver: Receiver
) -> None:
    webhook = hook(space, receiver.url)
    receiver.answers(410)
    for content in ("first", "second"):
        remember(space, content)

    rows = tell(webhook)

    webhook.refresh_from_db()
    assert (webhook.active, "410" in webhook.switched_off) == (False, True)
    assert [row.state for row in rows] == ["failed", "pending"]
    remember(space, "while it was off")
    tell(webhook)
    assert len(receiver.got) == 1
    change_webhook(
        space=space, webhook_id=webhook.pk, changes={"active": True}, actor=ALICE,
        now=timezone.now(),
    )  # fmt: skip
    remember(space, "third")
    tell(webhook)
    told = [json.loads(body)["data"]["content"] for _, _, body in receiver.got]
    assert told == ["first", "second", "third"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "[::1]", "0.0.0.0"]
)
def test_nothing_goes_into_the_own_network(
    space: Space, receiver: Receiver, settings: Settings, host: str
) -> None:
    webhook = hook(space, f"http://{host}:{receiver.port}/")
    settings.EBB_WEBHOOKS_PRIVATE = False
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())

    [row] = tell(webhook)

    assert (row.state, row.status, receiver.got) == ("failed", None, [])
    assert "private network" in row.error


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("10.1.1.1", False), ("169.254.169.254", False), ("100.64.0.1", False),
        ("::ffff:10.0.0.1", False), ("64:ff9b::a00:1", False), ("2002:7f00:1::", False),
        ("fe80::1%eth0", False), ("fc00::1", False), ("224.0.0.1", False),
        ("8.8.8.8", True), ("2606:4700::1111", True), ("64:ff9b::808:808", True),
    ],
)  # fmt: skip
def test_private_addresses_are_known_in_every_spelling(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.django_db
def test_name_that_also_leads_to_a_private_address_is_refused(
    space: Space, receiver: Receiver, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(*_: object, **__: object) -> list[tuple[object, ...]]:
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*kind, (address, receiver.port)) for address in ("8.8.8.8", "127.0.0.1")]

    webhook = hook(space, f"http://two-faced.example:{receiver.port}/")
    settings.EBB_WEBHOOKS_PRIVATE = False
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
    monkeypatch.setattr(socket, "getaddrinfo", answer)

    [row] = tell(webhook)

    assert (row.state, receiver.got) == ("failed", [])


@pytest.mark.django_db
def test_connection_goes_to_the_address_that_was_checked(
    space: Space, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def answer(host: str, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        asked.append(host)
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*kind, ("127.0.0.1", port))]

    webhook = hook(space, f"http://hooks.example:{receiver.port}/in")
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
    monkeypatch.setattr(socket, "getaddrinfo", answer)

    [row] = tell(webhook)

    assert row.state == "delivered"
    assert asked.count("hooks.example") == 1
    [(path, headers, body)] = receiver.got
    assert (path, headers["host"]) == ("/in", f"hooks.example:{receiver.port}")
    assert json.loads(body)["type"] == "test"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("vouched_for", "known", "state"),
    [
        ("hooks.example", True, "delivered"),
        ("hooks.example", False, "pending"),
        ("elsewhere.example", True, "pending"),
        ("127.0.0.1", True, "pending"),
    ],
)
def test_certificate_is_checked_by_the_name_and_by_who_vouches_for_it(
    space: Space,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    vouched_for: str,
    known: bool,
    state: str,
) -> None:
    authority, tls = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(vouched_for).configure_cert(tls)
    if known:
        authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    settings.EBB_WEBHOOKS_PRIVATE = True
    with receiving(tls) as receiver:
        webhook = hook(space, f"https://hooks.example:{receiver.port}/in")
        send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        found = [(*kind, ("127.0.0.1", receiver.port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

        [row] = tell(webhook)

        assert row.state == state
        assert ("certificate verify failed" in row.error.lower()) == (state == "pending"), row.error
        assert [path for path, _, _ in receiver.got] == ["/in"] * (state == "delivered")


@pytest.mark.django_db
def test_log_is_kept_for_a_month(space: Space, receiver: Receiver) -> None:
    webhook = hook(space, receiver.url)
    remember(space, "User likes pizza")
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
    tell(webhook)

    assert forget_old(now=timezone.now() + timedelta(days=29)) == 0
    assert forget_old(now=timezone.now() + timedelta(days=31)) == 1
    # This test's own transaction could still hold an older event: what it is known by stays.
    assert [row.event for row in tell(webhook)] == ["memory.created"]
    assert len(receiver.got) == 2


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
    assert steward.post(f"{at}/test").status_code == 202
    receiver.answers(503, b"busy")
    tell(Webhook.objects.get())

    [told] = steward.get(f"{at}/deliveries").json()["items"]
    assert (told["event"], told["status"], told["attempts"]) == ("test", "pending", 1)
    assert (told["response_status"], told["response"]) == (503, "busy")
    assert told["payload"]["data"] == {"space": "home", "message": "This is a test."}
    again = steward.post(f"deliveries/{told['id']}/redeliver").json()
    assert (again["attempts"], again["status"]) == (0, "pending")
    assert tell(Webhook.objects.get())[0].state == "delivered"

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
def test_old_secret_signs_nothing_more(space: Space, receiver: Receiver) -> None:
    webhook = hook(space, receiver.url)
    receiver.answers(500)
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
    tell(webhook)
    WebhookDelivery.objects.update(due_at=timezone.now())

    rotated = rotate_webhook(space=space, webhook_id=webhook.pk, actor=ALICE, now=timezone.now())
    tell(webhook)

    signed_by = []
    for _path, headers, body in receiver.got:
        what = (headers["webhook-id"], int(headers["webhook-timestamp"]), body)
        secrets = (webhook.secret, rotated.secret)
        signed_by.append([headers["webhook-signature"] == signature(s, *what) for s in secrets])
    assert signed_by == [[True, False], [False, True]]


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
