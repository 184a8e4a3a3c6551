"""Execution of a claimed job, including cancellation, model failures and invalid input.

The work itself calls `services.advance` after each step and returns the job's result.
"""

from datetime import timedelta

from foundation.database.leases import database_now
from foundation.errors import EbbError, ProviderError
from memory.jobs import services
from memory.jobs.kinds import WORK
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
