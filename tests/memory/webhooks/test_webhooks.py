"""Webhooks: each event told once and signed, tried again, given up; never into the own network."""

import json
from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import Space
from memory.drafts import MemoryChange
from memory.models import MemoryEvent, Webhook, WebhookDelivery
from memory.retention.recycle_bin import delete_memory, restore_memory
from memory.retention.sweep import sweep
from memory.review.services import approve_memory
from memory.store.services import revise_memory
from memory.tasks import SENDERS, sending
from memory.webhooks.deliveries import PAUSES, due_webhooks, forget_old, note_outcome, work_off
from memory.webhooks.sending import Outcome
from memory.webhooks.services import change_webhook, redeliver, rotate_webhook, send_test
from memory.webhooks.signing import signature
from tests.memory.sweeping import insert
from tests.memory.webhooks.receiver import Receiver
from tests.memory.webhooks.webhook_rounds import hook, receiver, tell
from tests.memory.writing import ALICE, hold, remember, set_policy

__all__ = ["receiver"]


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
        "memory.created", "memory.revised", "memory.deleted", "memory.restored",
        "memory.expired", "memory.evicted",
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
    assert [row.event for row in tell(webhook)] == ["memory.held"]

    approve_memory(space=space, memory_id=held.pk, actor=ALICE, now=timezone.now())

    assert [row.event for row in tell(webhook)] == ["memory.held", "memory.created"]


class GoneWrong(Exception):
    """Ends a transaction."""


@pytest.mark.django_db(transaction=True)
def test_a_message_is_written_with_its_event_or_not_at_all(
    space: Space, receiver: Receiver
) -> None:
    webhook = hook(space, receiver.url)

    @transaction.atomic
    def fail() -> None:
        remember(space, "never committed")
        assert WebhookDelivery.objects.count() == 1
        raise GoneWrong

    with pytest.raises(GoneWrong):
        fail()
    assert not WebhookDelivery.objects.exists()

    with transaction.atomic():
        memory = remember(space, "User likes pizza")
        assert due_webhooks(now=timezone.now()) == [(space.pk, webhook.pk)]
    event = MemoryEvent.objects.get(memory_id=memory.pk)

    [row] = WebhookDelivery.objects.all()
    assert (row.event, row.event_id, row.state) == ("memory.created", event.pk, "pending")
    assert row.payload["data"]["event_id"] == event.pk
    assert row.payload["timestamp"] == event.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@pytest.mark.django_db
def test_a_sweep_writes_a_message_for_each_memory_that_it_removes(space: Space) -> None:
    now = timezone.now()
    webhook = hook(space, "https://example.org/", ["memory.expired"])
    other = hook(space, "https://example.org/2", ["memory.created"])
    gone = {str(insert(space, n, expires_at=now - timedelta(hours=1)).pk) for n in range(3)}

    sweep(space=space, now=now)

    rows = WebhookDelivery.objects.filter(webhook=webhook)
    assert {row.payload["data"]["memory_id"] for row in rows} == gone
    assert not WebhookDelivery.objects.filter(webhook=other).exists()


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
def test_a_receiver_that_lets_us_wait_in_vain_rests(space: Space, receiver: Receiver) -> None:
    webhook = hook(space, receiver.url)
    for _ in range(3):
        send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
    tried: list[WebhookDelivery] = []

    def in_vain(delivery: WebhookDelivery) -> Outcome:
        tried.append(delivery)
        return Outcome(took_ms=15_000, error="No answer within 15 seconds.")

    begun = timezone.now()
    work_off(
        space_id=space.pk, webhook_id=webhook.pk, send=in_vain, clock=timezone.now, jitter=lambda: 0
    )

    [first] = tried
    others = WebhookDelivery.objects.exclude(pk=first.pk)
    assert [row.due_at - begun >= timedelta(seconds=135) for row in others] == [True, True]
    redeliver(space=space, delivery_id=others[0].pk, now=timezone.now())  # a person's word counts
    tell(webhook)
    assert len(receiver.got) == 1


@pytest.mark.django_db
def test_a_sender_that_stalled_leaves_the_lease_of_the_next_one(space: Space) -> None:
    webhook = hook(space, "https://example.com/hook")
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
    later = timezone.now() + timedelta(hours=1)

    def stall(delivery: WebhookDelivery) -> Outcome:
        Webhook.objects.filter(pk=webhook.pk).update(leased_until=later)
        return Outcome(took_ms=1)

    work_off(
        space_id=space.pk, webhook_id=webhook.pk, send=stall, clock=timezone.now, jitter=lambda: 0
    )

    webhook.refresh_from_db()
    assert webhook.leased_until == later


@pytest.mark.django_db
def test_half_of_the_threads_send_at_most(space: Space, receiver: Receiver) -> None:
    webhook = hook(space, receiver.url)
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())

    with ExitStack() as others:
        for _ in range(SENDERS):
            others.enter_context(sending)
        [row] = tell(webhook)
        assert (row.state, receiver.got) == ("pending", [])

    assert [row.state for row in tell(webhook)] == ["delivered"]


@pytest.mark.django_db
def test_log_is_kept_for_a_month(space: Space, receiver: Receiver) -> None:
    webhook = hook(space, receiver.url)
    remember(space, "User likes pizza")
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
    tell(webhook)

    assert forget_old(now=timezone.now() + timedelta(days=29)) == 0
    assert forget_old(now=timezone.now() + timedelta(days=31)) == 2
    assert tell(webhook) == []
    assert len(receiver.got) == 2


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
