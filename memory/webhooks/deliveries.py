"""Delivery of messages to webhooks: sending and retrying.

One worker at a time leases a webhook and sends to it, for BUDGET at most, so that a slow receiver
occupies only one thread. After a timeout, sending to the receiver pauses. No database connection is
open while a message is sent. If a worker dies, the message is sent again; receivers recognise its
id.

This lease does not use foundation.database.leases, because a webhook never ends and its messages
count the attempts.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from memory.models import DeliveryState, Webhook, WebhookDelivery
from memory.webhooks.sending import SECONDS, Outcome

PAUSES = (5, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, 15 * 3600)
"""Seconds before the second to the eighth attempt: nearly a day in all."""
BUDGET = timedelta(seconds=20)
LEASE = BUDGET + timedelta(seconds=4 * SECONDS)  # includes time for slow name servers
WAITED, RESTS = 1000.0, 9
"""After a failed attempt of at least this many milliseconds, the webhook pauses nine times as
long. So sending to its receiver takes a tenth of a thread's time."""
KEPT_FOR = timedelta(days=30)
LONGEST_PAUSE = 24 * 3600


def due_webhooks(*, now: datetime) -> list[tuple[int, UUID]]:
    """Return (space, webhook) of each webhook with a message to send."""
    return list(Webhook.objects.with_due_messages(now).values_list("space_id", "pk"))


def next_due(*, space_id: int, webhook_id: UUID, now: datetime) -> WebhookDelivery | None:
    """Return the message that is due longest, with its webhook, if that is still active."""
    rows = WebhookDelivery.objects.filter(
        space_id=space_id, webhook_id=webhook_id, webhook__active=True,
        state=DeliveryState.PENDING, due_at__lte=now,
    )  # fmt: skip
    return rows.select_related("webhook").order_by("due_at", "event_id", "created_at").first()


@transaction.atomic
def note_outcome(
    *, delivery: WebhookDelivery, outcome: Outcome, now: datetime, jitter: float
) -> None:
    """Record the outcome of an attempt, and when the next one is due.

    `jitter` in [0, 1] shortens the pause by up to a tenth. Status 410 switches the webhook off.
    """
    values: dict[str, Any] = {"state": DeliveryState.PENDING}
    if outcome.delivered:
        values["state"] = DeliveryState.DELIVERED
    elif outcome.permanent or outcome.gone or delivery.attempts >= len(PAUSES):
        values["state"] = DeliveryState.FAILED
    else:
        asked = min(outcome.retry_after or 0.0, LONGEST_PAUSE)
        pause = max(PAUSES[delivery.attempts] * (1 - jitter / 10), asked)
        values["due_at"] = now + timedelta(seconds=pause)
    rows = WebhookDelivery.objects.filter(space_id=delivery.space_id, pk=delivery.pk)
    # Skip if a person has sent the message again meanwhile, which resets `attempts`.
    rows.filter(attempts=delivery.attempts).update(
        attempts=delivery.attempts + 1, tried_at=now, took_ms=outcome.took_ms,
        status=outcome.status, response=outcome.response, error=outcome.error, **values,
    )  # fmt: skip
    if outcome.gone:
        Webhook.objects.filter(space_id=delivery.space_id, pk=delivery.webhook_id).update(
            active=False, switched_off="The receiver answered 410 Gone."
        )


def work_off(
    *,
    space_id: int,
    webhook_id: UUID,
    send: Callable[[WebhookDelivery], Outcome],
    clock: Callable[[], datetime],
    jitter: Callable[[], float],
) -> None:
    """Send a webhook's due messages for at most BUDGET, unless another worker sends; beat calls
    this again."""
    began = clock()
    until = began + LEASE
    rows = Webhook.objects.filter(space_id=space_id, pk=webhook_id)
    if not rows.claimable(began).update(leased_until=until):
        return
    try:
        while clock() - began < BUDGET:
            delivery = next_due(space_id=space_id, webhook_id=webhook_id, now=clock())
            if delivery is None:
                break
            outcome = send(delivery)
            note_outcome(delivery=delivery, outcome=outcome, now=clock(), jitter=jitter())
            if not outcome.delivered and outcome.took_ms >= WAITED:
                _rest(delivery, until=clock() + timedelta(milliseconds=RESTS * outcome.took_ms))
    finally:  # no effect if another worker has the lease now
        rows.filter(leased_until=until).update(leased_until=None)


def _rest(tried: WebhookDelivery, *, until: datetime) -> None:
    """Delay the other messages to this receiver; the message just tried has its own pause."""
    WebhookDelivery.objects.filter(
        space_id=tried.space_id, webhook_id=tried.webhook_id,
        state=DeliveryState.PENDING, due_at__lt=until,
    ).exclude(pk=tried.pk).update(due_at=until)  # fmt: skip


def forget_old(*, now: datetime) -> int:
    """Delete finished messages from the log after KEPT_FOR; return their number."""
    done = WebhookDelivery.objects.filter(created_at__lt=now - KEPT_FOR)
    return done.exclude(state=DeliveryState.PENDING).delete()[0]
