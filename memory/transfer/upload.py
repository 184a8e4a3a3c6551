"""The file of a job, stored in the database so that any worker can read it."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict, FieldError, InvalidArguments
from foundation.moments import zone_name
from memory.jobs import services as jobs
from memory.models import Job, JobPart, JobState

PART = 2**20  # bytes
IMPORT = "import"


@transaction.atomic
def start_import(
    *,
    space: Space,
    chunks: Iterable[bytes],
    on_error: str,
    actor: Actor,
    now: datetime,
    preview: bool = False,
    keep_forever: bool = False,
    user_id: str | None = None,
    exchanges: int | None = None,
) -> Job:
    """Store a file and start its import; a `preview` is imported by `confirm_import`. With a
    `user_id` the rows that name no user become this user's. `exchanges` limits those to assess.
    Times without a zone are in that of `now`.

    Raises Conflict while another import runs, InvalidArguments if the file is empty.
    """
    options = _given(
        preview=preview, keep_forever=keep_forever, user_id=user_id, exchanges=exchanges,
        time_zone=zone_name(now),
    )  # fmt: skip
    parameters = {"on_error": on_error, **options}
    job = jobs.start_job(space=space, kind=IMPORT, parameters=parameters, actor=actor, now=now)
    job.parameters["bytes"] = job.total = size = store_file(job, chunks)
    Job.objects.in_space(space).filter(pk=job.pk).update(parameters=job.parameters, total=size)
    return job


def store_file(job: Job, chunks: Iterable[bytes]) -> int:
    """Store the job's file in parts; return its size in bytes. Raises InvalidArguments if it is
    empty."""
    # Delete the file of an earlier job that nobody resumed.
    alike = Job.objects.in_space(job.space).filter(kind=job.kind)
    JobPart.objects.filter(space_id=job.space_id, job_id__in=alike.values("pk")).delete()
    size = 0
    for number, data in enumerate(_parts(chunks)):
        JobPart.objects.create(space=job.space, job=job, number=number, data=data)
        size += len(data)
    if not size:
        raise InvalidArguments(FieldError("body", "the file is empty"))
    return size


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value}


@transaction.atomic
def confirm_import(
    *, space: Space, job_id: UUID, keep_forever: bool, actor: Actor, now: datetime
) -> Job:
    """Start the import of the file that this job has previewed.

    Raises Conflict if the file is gone or another import runs.
    """
    parts = JobPart.objects.filter(
        space_id=space.pk, job_id=job_id, job__state=JobState.DONE, job__parameters__preview=True
    )
    if not parts.exists():
        raise Conflict("The file is no longer stored. Choose it again.")
    previewed = Job.objects.in_space(space).get(pk=job_id)
    size = previewed.parameters["bytes"]
    kept = ("on_error", "user_id", "exchanges")
    parameters = {name: value for name, value in previewed.parameters.items() if name in kept}
    parameters["bytes"] = size
    parameters |= {"keep_forever": True} if keep_forever else {}
    job = jobs.start_job(
        space=space, kind=IMPORT, parameters=parameters, actor=actor, now=now, total=size
    )
    JobPart.objects.filter(space_id=space.pk, job_id=job_id).update(job=job)
    return job


@transaction.atomic
def begin_import(*, space: Space, now: datetime, **options: Any) -> Job:
    """Start an import as `start_import` does, and claim the job for the caller, so that no worker
    starts it."""
    job = start_import(space=space, now=now, **options)
    mine = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=now)
    assert mine is not None  # noqa: S101 - nobody else can see it yet
    return mine


def read(job: Job, offset: int = 0) -> Iterator[bytes]:
    """Return the job's file from this byte on, in parts."""
    number, skip = divmod(offset, PART)
    rows = JobPart.objects.filter(space_id=job.space_id, job_id=job.pk)
    while (data := rows.filter(number=number).values_list("data", flat=True).first()) is not None:
        yield bytes(data)[skip:]
        number, skip = number + 1, 0


def forget(job: Job) -> None:
    """Delete the job's file."""
    JobPart.objects.filter(space_id=job.space_id, job_id=job.pk).delete()


def _parts(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Return the same bytes in parts of equal size."""
    waiting = bytearray()
    for chunk in chunks:
        waiting += chunk
        while len(waiting) >= PART:
            yield bytes(waiting[:PART])
            del waiting[:PART]
    if waiting:
        yield bytes(waiting)
