"""Jobs in the hands of a worker: the test itself."""

from django.utils import timezone

from memory.jobs.services import claim_job
from memory.models import Job


def claimed(job: Job) -> Job:
    """Return a waiting job as the worker that claims it has it."""
    mine = claim_job(space_id=job.space_id, job_id=job.pk, now=timezone.now())
    assert mine is not None
    return mine
