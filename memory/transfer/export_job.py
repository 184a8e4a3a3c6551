"""Exports a large space as a job. The file can be downloaded for a day.

The file is written in one snapshot and stored in the database, so that any host can send it. A
purge and an erasure delete it, because it quotes what they erase.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from functools import partial
from tempfile import TemporaryFile
from time import monotonic
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from foundation.actors import Actor
from foundation.database.leases import database_now
from foundation.readers import EVERYONE
from memory.jobs import services as jobs
from memory.jobs.kinds import Labels
from memory.models import Job, JobPart, JobState, Memory
from memory.models.jobs import JobQuerySet
from memory.transfer import upload
from memory.transfer.export import count_rows, export_lines
from memory.transfer.stream import folder

KIND = "export"
LARGE = 50_000
"""Lines from which an export is a job; fewer take a few seconds."""
KEPT = timedelta(days=1)
LABELS = Labels(_("Export"), {}, refreshes_page=True)
RENEWED = 10.0  # seconds between two renewals of the lease


def start_export(*, space: Space, actor: Actor, now: datetime) -> Job:
    """Start writing the file of the whole space. Raises Conflict while a file is being written."""
    total = count_rows(space, EVERYONE) + 2  # with the first and the last line
    return jobs.start_job(space=space, kind=KIND, parameters={}, actor=actor, now=now, total=total)


def write_export(job: Job) -> Mapping[str, Any]:
    """Write and store the file; return its size. Raises JobStopped."""
    with TemporaryFile(dir=folder()) as file:
        found = export_lines(job.space, EVERYONE, now=database_now())
        with _beside() as renew, closing(found) as lines:
            written = _write(job, lines, file.write, renew)
        result = {"bytes": file.tell()}
        file.seek(0)
        with transaction.atomic():
            upload.store_file(job, iter(partial(file.read, upload.PART), b""))
            jobs.advance(job=job, done=written, total=written, now=database_now())
    return result


def _write(
    job: Job, lines: Generator[str], write: Callable[[bytes], int], renew: Callable[..., None]
) -> int:
    """Write the lines and return their number."""
    number, renewed = 0, monotonic()
    for number, line in enumerate(lines, 1):
        write(line.encode())
        if monotonic() - renewed >= RENEWED:
            renew(job=job, done=number)
            renewed = monotonic()
    return number


@contextmanager
def _beside() -> Iterator[Callable[..., None]]:
    """Yield `advance` on another connection: this thread's is in the snapshot, which only reads."""
    with ThreadPoolExecutor(1) as thread:

        def advance(**values: Any) -> None:
            thread.submit(_advance, **values).result()

        try:
            yield advance
        finally:
            thread.submit(_close).result()


def _close() -> None:
    connection.close()  # that of the calling thread


def _advance(**values: Any) -> None:
    jobs.advance(now=database_now(), **values)


def ready_export(space: Space) -> Job | None:
    """Return the newest export whose file is stored, or None."""
    return _ready(space).latest_of(KIND)


def waiting_exports(space: Space) -> JobQuerySet:
    """Return the exports whose file was not downloaded yet."""
    return _ready(space).filter(~Q(result__has_key="downloaded"))


def note_download(job: Job) -> None:
    """Record that the file was downloaded, so that pages stop announcing it."""
    rows = Job.objects.in_space(job.space).filter(pk=job.pk)
    rows.update(result={**job.result, "downloaded": True})


def _ready(space: Space) -> JobQuerySet:
    parts = JobPart.objects.filter(space_id=space.pk, number=0).values("job_id")
    return Job.objects.in_space(space).filter(kind=KIND, state=JobState.DONE, pk__in=parts)


def forget_exports(space: Space, memories: Sequence[Memory] = ()) -> None:
    """Delete the exported files of the space, such as when `memories` are purged."""
    exports = Job.objects.in_space(space).filter(kind=KIND).values("pk")
    JobPart.objects.filter(space_id=space.pk, job_id__in=exports).delete()


def forget_old(*, now: datetime) -> None:
    """Delete the exported files that nobody downloaded for a day."""
    old = Job.objects.filter(kind=KIND, ended_at__lt=now - KEPT).values("pk")
    JobPart.objects.filter(job_id__in=old).delete()
