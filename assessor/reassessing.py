"""Assesses many exchanges again as a job: those that failed, or all by one model.

Each exchange is requeued in the outbox, and the job claims it itself. If the worker dies, the
exchange is claimed again like any other, and the job continues with the next one.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils.dateparse import parse_datetime

from accounts.models import Space
from assessor.errors import AssessmentError
from assessor.lessons import Lesson
from assessor.models import Assessment, AssessmentQuerySet, FallbackReason, State
from assessor.outbox.queue import requeue
from assessor.tasks import assess
from foundation.actors import Actor
from foundation.database.leases import database_now
from memory.jobs import services as jobs
from memory.models import Job

KIND = "reassess"


def to_assess(space: Space, *, model: str = "") -> AssessmentQuerySet:
    """Return the exchanges that no model answered or, with `model`, those that this model assessed.
    A span counts once.

    Exchanges that no model answered have failed, or the built-in assessor took them over. Excludes
    exchanges that were edited or purged since.
    """
    rows = Assessment.objects.in_space(space).filter(part_of=None).exclude(user_message="")
    taught = Lesson.objects.filter(space_id=space.pk, assessment=OuterRef("pk"))
    kept = Q(Exists(taught), state=State.DONE) | Q(state=State.IGNORED)
    if model:
        return rows.filter(kept, model=model, importance__isnull=False)
    taken_over = kept & Q(fallback_reason=FallbackReason.NO_ANSWER)
    return rows.filter(Q(state=State.FAILED) | taken_over)


def start_reassessing(*, space: Space, model: str = "", actor: Actor, now: datetime) -> Job:
    """Start the job for a worker. Raises Conflict if one is running."""
    return jobs.start_job(
        space=space,
        kind=KIND,
        parameters={"model": model},
        actor=actor,
        now=now,
        total=to_assess(space, model=model).count(),
    )


def latest_reassessing(space: Space) -> Job | None:
    """Return the newest reassessment job of the space, or None."""
    return Job.objects.in_space(space).latest_of(KIND)


def reassess(job: Job) -> Mapping[str, Any]:
    """Run the job, oldest exchange first; return the numbers of assessed and failed exchanges.

    Raises JobStopped, or AssessmentError if the model is unavailable: the exchange waits in the
    outbox, and the job can be resumed.
    """
    while (found := _next(job)) is not None:
        _queue_again(job, found)
        assess(job.space_id, str(found.pk))
        found.refresh_from_db(fields=["state", "error"])
        if found.state == State.RETRYING:
            raise AssessmentError(found.error)
        counted = {"judged": 0, "failed": 0, **job.result}
        counted["failed" if found.state == State.FAILED else "judged"] += 1
        done = min(job.done + 1, job.total or 0)
        jobs.advance(job=job, done=done, result=counted, now=database_now())
    return {name: job.result.get(name, 0) for name in ("judged", "failed")}


def _next(job: Job) -> Assessment | None:
    """Return the next exchange after the job's position that existed when the job started."""
    rows = to_assess(job.space, model=job.parameters["model"])
    rows = rows.filter(created_at__lte=job.created_at)
    if (place := job.result.get("place")) is not None:
        at, pk = parse_datetime(place[0]), UUID(place[1])
        rows = rows.filter(Q(created_at__gt=at) | Q(created_at=at, pk__gt=pk))
    return rows.order_by("created_at", "pk").first()


@transaction.atomic
def _queue_again(job: Job, found: Assessment) -> None:
    """Requeue the exchange with its span, and record it as the job's position."""
    now = database_now()
    place = [found.created_at.isoformat(), str(found.pk)]
    jobs.advance(job=job, done=job.done, result={**job.result, "place": place}, now=now)
    rows = Assessment.objects.in_span(found)
    requeue(rows, now, enqueued_at=now)
    # An assessed row's provider and rubric name its past assessor. Cleared, they follow the policy.
    rows.filter(importance__isnull=False).update(provider="", rubric="")
    # An exchange that was assessed alone must not wait for a topic to end now.
    rows.filter(pk=found.pk).update(span_ends_at=Coalesce("span_ends_at", now))
