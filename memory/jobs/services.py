"""Long work in steps: started, advanced, finished, cancelled, taken up again.

A worker holds a job for a lease, which each step renews. Work is claimed by a conditional update,
and `attempts` numbers the leases: a worker that lost its lease writes nothing more. A step and what
it wrote belong into one transaction: whoever takes the job up goes on exactly where it stands.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, Q

from memory.actors import Actor
from memory.errors import Conflict, NotFound
from memory.models import Job, JobState, Space
from memory.models.jobs import JobQuerySet
from memory.queue import enqueue, enqueue_on_commit

TASK = "memory.tasks.work"
LEASE = timedelta(seconds=60)
REQUEUE_AFTER = timedelta(seconds=20)
REQUEUE_LIMIT = 1000


class JobStopped(Exception):
    """Somebody cancelled the job, or another worker has it: whoever works at it stops now."""


def start_job(
    *,
    space: Space,
    kind: str,
    parameters: Mapping[str, Any],
    actor: Actor,
    now: datetime,
    total: int | None = None,
) -> Job:
    """Notes work to be done and, once that is committed, tells a worker.

    Raises Conflict while the space has unfinished work of this kind.
    """
    try:
        with transaction.atomic():
            job = Job.objects.create(
                space=space,
                kind=kind,
                parameters=dict(parameters),
                total=total,
                actor_type=actor.type,
                actor_name=actor.name,
                created_at=now,
                enqueued_at=now,
            )
    except IntegrityError:
        raise Conflict("Such work is already under way in this space.") from None
    enqueue_on_commit(TASK, space.pk, job.pk)
    return job


def claim_job(*, space_id: int, job_id: UUID, now: datetime) -> Job | None:
    """Takes the job for the length of a lease, or None if it is not to be had."""
    mine = Job.objects.claimable(now).filter(space_id=space_id, pk=job_id)
    claimed = mine.update(
        state=JobState.RUNNING,
        started_at=now,
        done_before=F("done"),
        leased_until=now + LEASE,
        attempts=F("attempts") + 1,
        error="",
    )
    if not claimed:
        return None
    return Job.objects.select_related("space__embedder").get(space_id=space_id, pk=job_id)


def advance(
    *,
    job: Job,
    done: int,
    now: datetime,
    total: int | None = None,
    result: Mapping[str, Any] | None = None,
) -> None:
    """Notes a step and renews the lease. In the transaction of what the step wrote.

    Raises JobStopped, which takes that transaction back.
    """
    values: dict[str, Any] = {"done": done, "leased_until": now + LEASE}
    if done != job.done:
        values["last_progress_attempt"] = job.attempts
    if total is not None:
        values["total"] = total
    if result is not None:
        values["result"] = dict(result)
    if not _leased(job).filter(cancel_requested=False).update(**values):
        raise JobStopped
    for name, value in values.items():
        setattr(job, name, value)


def finish(*, job: Job, now: datetime, result: Mapping[str, Any] | None = None) -> bool:
    """The work is done; False if the lease no longer holds."""
    kept = {} if result is None else {"result": dict(result)}
    return _end(job, JobState.DONE, now, **kept)


def fail(*, job: Job, error: str, now: datetime) -> bool:
    """The work cannot go on; `error` says why. It can be resumed."""
    return _end(job, JobState.FAILED, now, error=error)


def reschedule(*, job: Job, error: str, until: datetime) -> bool:
    """What the work needs is away: nobody takes it up before then; `error` says why it waits."""
    return bool(_leased(job).update(leased_until=until, error=error))


def stop(*, job: Job, now: datetime) -> bool:
    """The worker's answer to a cancellation; False if the job was not to be cancelled."""
    return _end(job, JobState.CANCELLED, now) if _asked_to_stop(job) else False


def cancel(*, space: Space, job_id: UUID, now: datetime) -> Job:
    """Ends work that waits; asks a worker to stop at its next step. What is done stays done.

    Raises NotFound. A job that has ended stays as it is.
    """
    rows = Job.objects.in_space(space).filter(pk=job_id)
    ended = {"state": JobState.CANCELLED, "ended_at": now, "leased_until": None}
    # One that was put off has an error until somebody claims it again.
    left_alone = Q(leased_until__lt=now) | ~Q(error="")
    nobody_has_it = Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING) & left_alone
    rows.filter(nobody_has_it).update(**ended)
    rows.filter(state=JobState.RUNNING).update(cancel_requested=True)
    return _one(rows)


def resume(*, space: Space, job_id: UUID, now: datetime) -> Job:
    """Has failed or cancelled work go on from where it stopped. Raises NotFound, or Conflict if it
    goes on already, is done, or other work of its kind is under way."""
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
        raise Conflict("Such work is already under way in this space.") from None
    job = _one(rows)
    if not resumed:
        raise Conflict("It has not stopped.")
    enqueue_on_commit(TASK, space.pk, job.pk)
    return job


@transaction.atomic
def take_up(*, space: Space, job_id: UUID, now: datetime) -> Job:
    """As `resume`, the job then being the caller's. One whose worker is gone is taken, too."""
    mine = claim_job(space_id=space.pk, job_id=job_id, now=now)
    if mine is None:
        resume(space=space, job_id=job_id, now=now)
        mine = claim_job(space_id=space.pk, job_id=job_id, now=now)
    if mine is None:
        raise Conflict("Somebody else is at it.")
    return mine


def requeue_due(*, now: datetime) -> int:
    """Tells workers of jobs that wait, or were left by a worker that died; how many there were.

    A job that no worker got further with is given up: it may be what they died of.
    """
    Job.objects.exhausted(now).update(
        state=JobState.FAILED,
        leased_until=None,
        ended_at=now,
        error="Each worker that took this up ended before it got further.",
    )
    due = (
        Job.objects.claimable(now)
        .filter(enqueued_at__lte=now - REQUEUE_AFTER)
        .order_by("enqueued_at")
    )
    rows = list(due.values_list("space_id", "pk")[:REQUEUE_LIMIT])
    for space_id, job_id in rows:
        Job.objects.filter(space_id=space_id, pk=job_id).update(enqueued_at=now)
        enqueue(TASK, space_id, job_id)
    return len(rows)


def _one(rows: JobQuerySet) -> Job:
    job = rows.first()
    if job is None:
        raise NotFound("There is no such job.")
    return job


def _leased(job: Job) -> JobQuerySet:
    """The job, as long as this worker's lease is the newest."""
    return Job.objects.filter(
        space_id=job.space_id, pk=job.pk, state=JobState.RUNNING, attempts=job.attempts
    )


def _asked_to_stop(job: Job) -> bool:
    return _leased(job).filter(cancel_requested=True).exists()


def _end(job: Job, state: JobState, now: datetime, **values: Any) -> bool:
    ended = {"state": state, "ended_at": now, "leased_until": None, **values}
    if not _leased(job).update(**ended):
        return False
    for name, value in ended.items():
        setattr(job, name, value)
    return True
