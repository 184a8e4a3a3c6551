"""JSON API of jobs: list, progress, cancel and resume."""

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router

from accounts.authentication import Access, access_to
from accounts.models import Scope
from foundation.errors import NotFound
from foundation.http.pagination import keyset
from foundation.http.requests import PageIn, RowId, may_fail, parse_uuid
from memory.jobs import services as jobs
from memory.jobs.kinds import DETAILS
from memory.jobs.schemas import JobList, JobOut
from memory.models import Job
from memory.models.jobs import JobQuerySet

router = Router(tags=["transfer"])


@router.get("jobs", response=JobList, url_name="jobs_list", operation_id="listJobs")
def list_jobs(request: HttpRequest, asked: Query[PageIn]) -> JobList:
    """List the space's jobs, newest first."""
    rows = _visible(access_to(request, "read"))
    found, following = keyset("-created_at").page(rows, limit=asked.limit, cursor=asked.cursor)
    now = timezone.now()
    return JobList(items=[JobOut.of(job, now) for job in found], next=following)


def _visible(access: Access) -> JobQuerySet:
    """Return the space's jobs; for a user only the jobs about them, because a job's result may
    contain other users' data. Only a caller with the scope `admin` sees jobs about any user.
    """
    rows: JobQuerySet = Job.objects.in_space(access.space)
    user_id = access.reader.user_id
    if user_id is not None:
        return rows.filter(parameters__user_id=user_id)
    if Scope.ADMIN in access.scopes:
        return rows
    return rows.filter(Q(parameters__user_id__isnull=True) | Q(parameters__user_id=None))


@router.get("jobs/{id}", response=JobOut, url_name="jobs_get", operation_id="getJob")
def get_job(request: HttpRequest, id: RowId) -> JobOut:
    """Return a job with its progress and an estimate of the remaining time."""
    access = access_to(request, "read")
    job = _visible(access).filter(pk=parse_uuid(id)).first()
    if job is None:
        raise NotFound("Job not found.")
    details = DETAILS[job.kind](job, access.reader) if job.kind in DETAILS else {}
    return JobOut.of(job, timezone.now(), details)


@router.post("jobs/{id}/cancel", response=JobOut, url_name="jobs_cancel", operation_id="cancelJob")
def cancel_job(request: HttpRequest, id: RowId) -> JobOut:
    """Cancel a job at its next step. Completed steps are kept, and the job can be resumed."""
    space, now = access_to(request, "admin").space, timezone.now()
    return JobOut.of(jobs.cancel(space=space, job_id=parse_uuid(id), now=now), now)


@router.post(
    "jobs/{id}/resume",
    response=JobOut,
    url_name="jobs_resume",
    operation_id="resumeJob",
    openapi_extra=may_fail(409),
)
def resume_job(request: HttpRequest, id: RowId) -> JobOut:
    """Resume a cancelled or failed job from where it stopped."""
    space, now = access_to(request, "admin").space, timezone.now()
    return JobOut.of(jobs.resume(space=space, job_id=parse_uuid(id), now=now), now)
