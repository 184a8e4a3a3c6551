"""How messages get to their webhooks: collected from the history, sent, tried again.

One worker at a time sends to a webhook: a slow receiver keeps one thread busy, only for BUDGET at a
time, and rests when it let us wait in vain. No database connection is held while a message is under
way. A worker that dies while it sends leaves the message as it was, and it is sent again: receivers
know it by its id.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from memory.models import DeliveryState, Webhook, WebhookDelivery
from memory.webhooks.outbox import collect
from memory.webhooks.sending import SECONDS, Outcome

PAUSES = (5, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, 15 * 3600)
"""Seconds before the second to the eighth attempt: nearly a day in all."""
BUDGET = timedelta(seconds=20)
LEASE = BUDGET + timedelta(seconds=4 * SECONDS)  # name servers may let us wait, too
WAITED, RESTS = 1000.0, 9
"""A receiver that let us wait so many milliseconds in vain rests nine times as long, so that what
is due to it takes a tenth of a thread's time."""
KEPT_FOR = timedelta(days=30)
LONGEST_PAUSE = 24 * 3600


def collect_all(*, now: datetime) -> list[tuple[int, UUID]]:
    """Makes messages of what is new in the history of each space with webhooks; (space, webhook)
    of those that have something to send."""
    active = Webhook.objects.filter(active=True, space__closed_at=None)
    for space_id, webhook_id in active.values_list("space_id", "pk"):
        with transaction.atomic():
            rows = Webhook.objects.filter(space_id=space_id, pk=webhook_id, active=True)
            webhook = rows.select_for_update(skip_locked=True, of=("self",)).select_related("space")
            for found in webhook:
                collect(found, now)
    return list(Webhook.objects.with_work(now).values_list("space_id", "pk"))


def claim(*, space_id: int, webhook_id: UUID, now: datetime) -> bool:
    """Takes the sending to a webhook; False if somebody has it."""
    free = Q(leased_until__isnull=True) | Q(leased_until__lt=now)
    rows = Webhook.objects.filter(free, space_id=space_id, pk=webhook_id, active=True)
    return bool(rows.update(leased_until=now + LEASE))


def release(*, space_id: int, webhook_id: UUID) -> None:
    """Gives it back."""
    Webhook.objects.filter(space_id=space_id, pk=webhook_id).update(leased_until=None)


def next_due(*, space_id: int, webhook_id: UUID, now: datetime) -> WebhookDelivery | None:
    """The message that is due longest, with its webhook, if that is still active."""
    rows = WebhookDelivery.objects.filter(
        space_id=space_id, webhook_id=webhook_id, webhook__active=True,
        state=DeliveryState.PENDING, due_at__lte=now,
    )  # fmt: skip
    return rows.select_related("webhook").order_by("due_at", "event_id", "created_at").first()


@transaction.atomic
def note_outcome(
    *, delivery: WebhookDelivery, outcome: Outcome, now: datetime, jitter: float
) -> None:
    """Writes how an attempt ended, and when the next one is due, if one is.

    `jitter` in [0, 1] shortens the pause by up to a tenth. 410 switches the webhook off.
    """
    attempts = delivery.attempts + 1
    over = outcome.permanent or outcome.gone or attempts > len(PAUSES)
    state = DeliveryState.FAILED if over else DeliveryState.PENDING
    state = DeliveryState.DELIVERED if outcome.delivered else state
    due_at = delivery.due_at
    if state == DeliveryState.PENDING:
        asked = min(outcome.retry_after or 0.0, LONGEST_PAUSE)
        due_at = now + timedelta(seconds=max(PAUSES[attempts - 1] * (1 - jitter / 10), asked))
    # Somebody may have asked for it again meanwhile, which counts from the beginning.
    WebhookDelivery.objects.filter(
        space_id=delivery.space_id, pk=delivery.pk, attempts=delivery.attempts
    ).update(
        state=state,
        attempts=attempts,
        due_at=due_at,
        tried_at=now,
        took_ms=outcome.took_ms,
        status=outcome.status,
        response=outcome.response,
        error=outcome.error,
    )
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
    """Sends what is due to a webhook, for a while; the rest is for the next turn."""
    began = clock()
    if not claim(space_id=space_id, webhook_id=webhook_id, now=began):
        return
    try:
        while clock() - began < BUDGET:
            delivery = next_due(space_id=space_id, webhook_id=webhook_id, now=clock())
            if delivery is None:
                break
            outcome = send(delivery)
            note_outcome(delivery=delivery, outcome=outcome, now=clock(), jitter=jitter())
            if not outcome.delivered and outcome.took_ms >= WAITED:
                _put_off(delivery, until=clock() + timedelta(milliseconds=RESTS * outcome.took_ms))
    finally:
        release(space_id=space_id, webhook_id=webhook_id)


def _put_off(tried: WebhookDelivery, *, until: datetime) -> None:
    """The other messages to this receiver wait until then; the one that was tried has its pause."""
    WebhookDelivery.objects.filter(
        space_id=tried.space_id, webhook_id=tried.webhook_id,
        state=DeliveryState.PENDING, due_at__lt=until,
    ).exclude(pk=tried.pk).update(due_at=until)  # fmt: skip


def forget_old(*, now: datetime) -> int:
    """Takes messages that are done with out of the log after KEPT_FOR; how many. One whose event
    may be read again stays: without it, it would be sent again."""
    read = Q(event_id__isnull=True) | Q(event_id__lte=F("webhook__seen_upto"))
    done = WebhookDelivery.objects.filter(read, created_at__lt=now - KEPT_FOR)
    return done.exclude(state=DeliveryState.PENDING).delete()[0]
