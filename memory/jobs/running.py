"""Execution of a claimed job, including cancellation, model failures and invalid input.

The work itself calls `services.advance` after each step and returns the job's result.
"""

import sys
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import Space
from foundation.database.leases import database_now
from foundation.errors import EbbError, NotFound, ProviderError
from memory.jobs import services
from memory.jobs.kinds import WORK
from memory.jobs.progress import ProgressLine, shown
from memory.models import Job

LONGEST_PAUSE = 900.0  # seconds: limit to the delay that an endpoint may ask for


def work_at(job: Job) -> None:
    """Do a claimed job to its end, unless it is cancelled or its lease is lost."""
    try:
        result = WORK[job.kind](job)
    except services.JobStopped:
        services.stop(job=job, now=database_now())
    except ProviderError as error:
        if error.permanent:
            services.fail(job=job, error=str(error), now=database_now())
        else:  # the model is temporarily unavailable: a worker continues later
            pause = timedelta(seconds=min(error.retry_after or 0.0, LONGEST_PAUSE))
            until = database_now() + max(pause, services.LEASE)
            services.reschedule(job=job, error=str(error), until=until)
    except EbbError as error:
        services.fail(job=job, error=str(error), now=database_now())
    else:
        services.finish(job=job, result=result, now=database_now())


def work_in_front(job: Job) -> None:
    """Do a job for a command with a progress line; Ctrl-C cancels. Reloads the job at the end."""

    def look(line: ProgressLine) -> None:
        line.show(job.done, job.total, job.left(timezone.now()))

    try:
        with shown(look, sys.stderr):
            work_at(job)
    except KeyboardInterrupt:
        services.cancel(space=job.space, job_id=job.pk, now=database_now())
        services.stop(job=job, now=database_now())
    job.refresh_from_db()


def resumed_in_front(space: Space, kind: str) -> Job:
    """Return the space's last job of this kind, claimed for a command. Raises NotFound, or Conflict
    if the job has not stopped.
    """
    last = Job.objects.in_space(space).latest_of(kind)
    if last is None:
        raise NotFound(gettext("There is nothing to resume."))
    return services.claim_or_resume(space=space, job_id=last.pk, now=database_now())
