"""What long work there is: a kind of job and the function that does it.

`work_at` holds the frame: a worker that is stopped, a model that fails, a file that is wrong. The
work itself calls `services.jobs.advance` after each step and returns what it has to say.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from memory.embeddings import EmbeddingError
from memory.errors import EbbError
from memory.models import Job
from memory.services import jobs, switching
from memory.transfer.importing import import_space
from memory.transfer.upload import IMPORT

LONGEST_PAUSE = 900.0  # seconds: an endpoint that asks for more is asked again all the same

Work = Callable[[Job], Mapping[str, Any]]
"""Does the job from where it stands; its answer becomes the job's result. May raise EbbError or
EmbeddingError, which end it as failed unless the model is only away."""

WORK: dict[str, Work] = {IMPORT: import_space, switching.KIND: switching.switch}


def work_at(job: Job) -> None:
    """Does a claimed job to its end, unless it is stopped or taken away."""
    try:
        result = WORK[job.kind](job)
    except jobs.JobStopped:
        jobs.stop(job=job, now=timezone.now())
    except EmbeddingError as error:
        if error.permanent:
            jobs.fail(job=job, error=str(error), now=timezone.now())
        else:  # a model that is only away: somebody goes on from here
            pause = timedelta(seconds=min(error.retry_after or 0.0, LONGEST_PAUSE))
            until = timezone.now() + max(pause, jobs.LEASE)
            jobs.put_off(job=job, error=str(error), until=until)
    except EbbError as error:
        jobs.fail(job=job, error=str(error), now=timezone.now())
    else:
        jobs.finish(job=job, result=result, now=timezone.now())
