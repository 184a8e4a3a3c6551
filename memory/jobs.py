"""What long work there is: a kind of job and the function that does it.

`work_at` holds the frame: a worker that is stopped, a model that fails, a file that is wrong. The
work itself calls `services.jobs.advance` after each step and returns what it has to say.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone

from memory.embeddings import EmbeddingError
from memory.errors import EbbError
from memory.models import Job
from memory.services import jobs, switching
from memory.transfer.importing import import_space
from memory.transfer.upload import IMPORT

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
        # A model that is only away: the lease runs out, and somebody goes on from here.
        if error.permanent:
            jobs.fail(job=job, error=str(error), now=timezone.now())
    except EbbError as error:
        jobs.fail(job=job, error=str(error), now=timezone.now())
    else:
        jobs.finish(job=job, result=result, now=timezone.now())
