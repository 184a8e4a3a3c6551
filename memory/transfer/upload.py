"""The file that a job reads, kept in the database: whoever takes the job up can read it."""

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
    """Keeps a file and has it imported into the space.

    `on_error`: "skip" leaves out the lines that are wrong, "abort" writes nothing if one is.
    Raises Conflict while another import is under way, InvalidArguments if the file is empty.
    """
    job = jobs.start_job(
        space=space, kind=IMPORT, parameters={"on_error": on_error}, actor=actor, now=now
    )
    # What an earlier import left behind, that nobody resumed.
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
    """As `start_import`, the job then being the caller's, who works at it: no worker begins it."""
    job = start_import(space=space, chunks=chunks, on_error=on_error, actor=actor, now=now)
    mine = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=now)
    assert mine is not None  # noqa: S101 - nobody else can see it yet
    return mine


def read(job: Job, offset: int = 0) -> Iterator[bytes]:
    """The job's file from this byte on, a part at a time."""
    number, skip = divmod(offset, PART)
    rows = JobPart.objects.filter(space_id=job.space_id, job_id=job.pk)
    while (data := rows.filter(number=number).values_list("data", flat=True).first()) is not None:
        yield bytes(data)[skip:]
        number, skip = number + 1, 0


def forget(job: Job) -> None:
    """The file is not needed any more."""
    JobPart.objects.filter(space_id=job.space_id, job_id=job.pk).delete()


def _parts(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in parts of one size."""
    waiting = bytearray()
    for chunk in chunks:
        waiting += chunk
        while len(waiting) >= PART:
            yield bytes(waiting[:PART])
            del waiting[:PART]
    if waiting:
        yield bytes(waiting)
