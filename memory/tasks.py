"""Celery tasks of the memory core. Each may run twice."""

import random
import threading
from uuid import UUID

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from accounts.limits import limit_counts
from accounts.sign_in.sessions import forget_ended
from foundation.database.connections import release_connection
from foundation.database.leases import database_now
from foundation.sealing import Unreadable
from memory.consolidation import consolidation_job
from memory.embeddings.switching import clear_after_switches
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import WebhookDelivery
from memory.retention.endings import end_superseded
from memory.retention.sweep import sweep_all
from memory.spaces import deletion
from memory.webhooks import deliveries
from memory.webhooks.sending import SECRET_UNREADABLE, Message, Outcome, send

ENQUEUED_EVERY = 5.0  # seconds; the interval in beat's schedule
SENDERS = max(1, settings.CELERY_WORKER_CONCURRENCY // 2)
sending = threading.BoundedSemaphore(SENDERS)
"""At most half of the worker's threads send to webhooks: receivers may be slow, and the other
half remains free for assessments."""
JOBS = max(1, settings.EBB_DB_POOL // 2)
working = threading.BoundedSemaphore(JOBS)
"""Jobs use at most half of the worker's database connections, because they keep them for long."""


@shared_task
def sweep_all_spaces() -> None:
    """End, expire, evict and purge memories, and delete outdated rows. Beat calls this."""
    end_superseded(now=database_now())
    sweep_all(now=database_now())
    clear_after_switches(now=database_now())
    deliveries.forget_old(now=database_now())
    forget_ended(now=database_now())
    limit_counts.forget_old(now=database_now())


@shared_task
def work(space_id: int, job_id: str) -> None:
    """Run a job unless another worker has claimed it. Without room here, beat tries again."""
    if not working.acquire(blocking=False):
        return
    try:
        job = jobs.claim_job(space_id=space_id, job_id=UUID(job_id), now=database_now())
        if job is not None:
            work_at(job)
    finally:
        working.release()


@shared_task
def consolidate_all_spaces() -> None:
    """Start the nightly consolidation of spaces whose policy asks for it; beat calls this."""
    consolidation_job.start_nightly(now=timezone.now())


@shared_task(name="memory.tasks.pick_up_jobs")
def requeue_due_jobs() -> None:
    """Start due deletions of spaces and enqueue waiting jobs; beat calls this."""
    deletion.start_due(now=database_now())
    jobs.requeue_due(now=database_now())


@shared_task
def enqueue_due_webhooks() -> None:
    """Enqueue webhooks with messages to send; beat calls this."""
    for space_id, webhook_id in deliveries.due_webhooks(now=database_now()):
        # A later call enqueues messages that expired before a worker took them.
        deliver.apply_async((space_id, str(webhook_id)), expires=ENQUEUED_EVERY, retry=False)


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
        try:
            message = Message(delivery.pk, hook.url, hook.secret, delivery.payload)
        except Unreadable:
            return Outcome(took_ms=0.0, error=SECRET_UNREADABLE)
        return send(message, now=timezone.now(), private=settings.EBB_WEBHOOKS_PRIVATE)

    deliveries.work_off(
        space_id=space_id,
        webhook_id=webhook_id,
        send=post,
        clock=database_now,
        jitter=random.random,
    )
