"""Jobs in the hands of this worker."""

from django.utils import timezone

from memory.jobs.services import claim_job
from memory.models import Job


def claimed(job: Job) -> Job:
    """The job, leased as a worker leases it."""
    mine = claim_job(space_id=job.space_id, job_id=job.pk, now=timezone.now())
    assert mine is not None
    return mine
