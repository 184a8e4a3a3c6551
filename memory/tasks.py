"""Celery tasks of the memory core. Each may run twice."""

import random
import threading
from uuid import UUID

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from memory.connections import release_connection
from memory.embeddings.switching import clear_after_switches
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import WebhookDelivery
from memory.retention import sweep_job
from memory.retention.sweep import sweep_all
from memory.spaces import deletion
from memory.webhooks import deliveries
from memory.webhooks.sending import Message, Outcome, send

COLLECT_EVERY = 5.0  # seconds; the interval in beat's schedule
SENDERS = max(1, settings.CELERY_WORKER_CONCURRENCY // 2)
sending = threading.BoundedSemaphore(SENDERS)
"""At most half of the worker's threads send to webhooks: receivers may be slow, and the other
half remains free for assessments."""


@shared_task
def sweep_all_spaces() -> None:
    """Expire, evict and purge memories, and delete outdated rows; beat calls this."""
    sweep_all(now=timezone.now(), but=sweep_job.start_large(now=timezone.now()))
    clear_after_switches(now=timezone.now())
    deliveries.forget_old(now=timezone.now())


@shared_task
def work(space_id: int, job_id: str) -> None:
    """Run a job, unless another worker has claimed it."""
    job = jobs.claim_job(space_id=space_id, job_id=UUID(job_id), now=timezone.now())
    if job is not None:
        work_at(job)


@shared_task(name="memory.tasks.pick_up_jobs")
def requeue_due_jobs() -> None:
    """Start due deletions of spaces and enqueue waiting jobs; beat calls this."""
    deletion.start_due(now=timezone.now())
    jobs.requeue_due(now=timezone.now())


@shared_task
def collect_webhooks() -> None:
    """Create messages for new events, and enqueue webhooks with messages; beat calls this."""
    for space_id, webhook_id in deliveries.collect_all(now=timezone.now()):
        # A later call enqueues messages that expired before a worker took them.
        deliver.apply_async((space_id, str(webhook_id)), expires=COLLECT_EVERY, retry=False)


@shared_task
def deliver(space_id: int, webhook_id: str) -> None:
    """Send a webhook's due messages if a sender is free; otherwise beat tries again."""
    if not sending.acquire(blocking=False):
        return
    try:
        _deliver(space_id, UUID(webhook_id))
    finally:
        sending.release()


def _deliver(space_id: int, webhook_id: UUID) -> None:
    def post(delivery: WebhookDelivery) -> Outcome:
        """Send one delivery to its webhook."""
        release_connection()
        hook = delivery.webhook
        message = Message(delivery.pk, hook.url, hook.secret, delivery.payload)
        return send(message, now=timezone.now(), private=settings.EBB_WEBHOOKS_PRIVATE)

    deliveries.work_off(
        space_id=space_id,
        webhook_id=webhook_id,
        send=post,
        clock=timezone.now,
        jitter=random.random,
    )
