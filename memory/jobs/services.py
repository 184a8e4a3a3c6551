"""Long work in steps: start, advance, finish, cancel and resume jobs.

A worker leases a job (foundation.database.leases), and each step renews the lease. A step and its
writes belong in one transaction, so that the next worker continues exactly where the last one
stopped.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils.translation import gettext_noop as _

from accounts.models import Space
from foundation.actors import Actor
from foundation.database import leases
from foundation.errors import Conflict, NotFound
from foundation.queue import enqueue_on_commit
from memory.models import Job, JobState
from memory.models.jobs import JobQuerySet

TASK = "memory.tasks.work"
LEASE = timedelta(seconds=60)
ERROR_LENGTH = 1000  # characters; an error may quote a file
ALREADY_RUNNING = _(
    "A job of this kind is already running in this space. Wait until it ends, or cancel it."
)


class JobStopped(Exception):
    """The job was cancelled, or another worker has leased it: this worker stops now."""


def start_job(
    *, space: Space, kind: str, parameters: Mapping[str, Any], actor: Actor, now: datetime,
    total: int | None = None, user_id: str | None = None,
) -> Job:  # fmt: skip
    """Create a job and enqueue it on commit.

    Raises Conflict while the space has an unfinished job of this kind; with a `user_id`, while this
    user has one.
    """
    try:
        with transaction.atomic():
            job = Job.objects.create(
                space=space,
                kind=kind,
                user_id=user_id,
                parameters=dict(parameters),
                total=total,
                actor_type=actor.type,
                actor_name=actor.name,
                created_at=now,
                enqueued_at=now,
            )
    except IntegrityError:
        raise Conflict(ALREADY_RUNNING) from None
    enqueue_on_commit(TASK, space.pk, job.pk)
    return job


def claim_job(*, space_id: int, job_id: UUID, now: datetime) -> Job | None:
    """Lease a job and return it; None if no worker may claim it now."""
    return leases.claim(
        Job.objects.all(), space_id=space_id, row_id=job_id, now=now,
        until=now + LEASE, started_at=now, done_before=F("done"),
    )  # fmt: skip


def advance(
    *,
    job: Job,
    done: int,
    now: datetime,
    total: int | None = None,
    result: Mapping[str, Any] | None = None,
) -> None:
    """Record a step and renew the lease, in the transaction of the step's writes.

    Raises JobStopped, which rolls that transaction back.
    """
    values: dict[str, Any] = {"done": done, "leased_until": now + LEASE}
    if done != job.done:
        values["last_progress_attempt"] = job.attempts
    if total is not None:
        values["total"] = total
    if result is not None:
        values["result"] = dict(result)
    if not _write(Job.objects.leased_by(job).filter(cancel_requested=False), job, values):
        raise JobStopped


def finish(*, job: Job, now: datetime, result: Mapping[str, Any]) -> bool:
    """End the job as done; False if the lease was lost."""
    return _end(job, JobState.DONE, now, result=dict(result))


def fail(*, job: Job, error: str, now: datetime) -> bool:
    """End the job as failed because of `error`; it can be resumed. False if the lease was lost."""
    return _end(job, JobState.FAILED, now, error=error[:ERROR_LENGTH])


def reschedule(*, job: Job, error: str, until: datetime) -> None:
    """Postpone the job until then because a model is unavailable; `error` says why."""
    Job.objects.leased_by(job).update(leased_until=until, error=error)


def stop(*, job: Job, now: datetime) -> bool:
    """End the job if its cancellation was requested; return False if not, or if the lease was
    lost.
    """
    requested = Job.objects.leased_by(job).filter(cancel_requested=True).exists()
    return requested and _end(job, JobState.CANCELLED, now)


def cancel(*, space: Space, job_id: UUID, now: datetime) -> Job:
    """End a waiting job, or ask its worker to stop at the next step. Completed steps are kept.

    Raises NotFound. A job that has ended is left unchanged.
    """
    rows = Job.objects.in_space(space).filter(pk=job_id)
    # A rescheduled job has an error until a worker claims it again.
    left_alone = Q(leased_until__lt=now) | ~Q(error="")
    without_worker = Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING) & left_alone
    rows.filter(without_worker).update(state=JobState.CANCELLED, ended_at=now, leased_until=None)
    rows.filter(state=JobState.RUNNING).update(cancel_requested=True)
    return _one(rows)


def resume(*, space: Space, job_id: UUID, now: datetime) -> Job:
    """Resume a failed or cancelled job from where it stopped.

    Raises NotFound, or Conflict if it has not stopped or another job of its kind is unfinished.
    """
    rows = Job.objects.in_space(space).filter(pk=job_id)
    stopped = rows.filter(state__in=[JobState.FAILED, JobState.CANCELLED])
    try:
        with transaction.atomic():
            resumed = stopped.update(
                state=JobState.QUEUED,
                cancel_requested=False,
                ended_at=None,
                error="",
                enqueued_at=now,
                last_progress_attempt=F("attempts"),
            )
    except IntegrityError:
        raise Conflict(ALREADY_RUNNING) from None
    job = _one(rows)
    if not resumed:
        raise Conflict(_("The job is still running. Cancel it before you resume it."))
    enqueue_on_commit(TASK, space.pk, job.pk)
    return job


def requeue_due(*, now: datetime) -> int:
    """Enqueue waiting and abandoned jobs, and fail exhausted ones; return the number enqueued."""
    Job.objects.exhausted(now).update(
        state=JobState.FAILED,
        leased_until=None,
        ended_at=now,
        error="Every worker that ran this job stopped before it made progress.",
    )
    return leases.requeue_due(Job.objects.all(), TASK, now=now)


def _one(rows: JobQuerySet) -> Job:
    job = rows.first()
    if job is None:
        raise NotFound("Job not found.")
    return job


def _end(job: Job, state: JobState, now: datetime, **values: Any) -> bool:
    ended = {"state": state, "ended_at": now, "leased_until": None, **values}
    return _write(Job.objects.leased_by(job), job, ended)


def _write(rows: JobQuerySet, job: Job, values: Mapping[str, Any]) -> bool:
    """Update the job's row, and the object with it; False if there is no such row."""
    written = rows.update(**values)
    if written:
        vars(job).update(values)
    return bool(written)
