"""The file of a job, stored in the database so that any worker can read it."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db import transaction

from memory.actors import Actor
from memory.errors import FieldError, InvalidArguments
from memory.jobs import services as jobs
from memory.models import Job, JobPart, Space

PART = 2**20  # bytes
IMPORT = "import"


@transaction.atomic
def start_import(
    *, space: Space, chunks: Iterable[bytes], on_error: str, actor: Actor, now: datetime
) -> Job:
    """Store a file and start its import into the space.

    `on_error`: "skip" skips wrong lines, "abort" writes nothing if a line is wrong. Raises Conflict
    while another import runs, InvalidArguments if the file is empty.
    """
    job = jobs.start_job(
        space=space, kind=IMPORT, parameters={"on_error": on_error}, actor=actor, now=now
    )
    # Delete the file of an earlier import that nobody resumed.
    JobPart.objects.filter(space_id=space.pk, job__kind=IMPORT).delete()
    size = 0
    for number, data in enumerate(_parts(chunks)):
        JobPart.objects.create(space=space, job=job, number=number, data=data)
        size += len(data)
    if not size:
        raise InvalidArguments(FieldError("body", "the file is empty"))
    job.parameters["bytes"] = job.total = size
    Job.objects.in_space(space).filter(pk=job.pk).update(parameters=job.parameters, total=size)
    return job


@transaction.atomic
def begin_import(
    *, space: Space, chunks: Iterable[bytes], on_error: str, actor: Actor, now: datetime
) -> Job:
    """Start an import and claim the job for the caller, so that no worker starts it."""
    job = start_import(space=space, chunks=chunks, on_error=on_error, actor=actor, now=now)
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
