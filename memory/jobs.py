"""What long work there is: a kind of job and the function that does it.

`work_at` holds the frame: a worker that is stopped, a model that fails, a file that is wrong. The
work itself calls `services.jobs.advance` after each step and returns what it has to say.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory.embeddings import EmbeddingError
from memory.errors import EbbError, NotFound
from memory.models import Job, Space
from memory.progress import ProgressLine, shown
from memory.services import deleting, jobs, sweeping, switching
from memory.transfer.importing import import_space
from memory.transfer.upload import IMPORT

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

LONGEST_PAUSE = 900.0  # seconds: an endpoint that asks for more is asked again all the same

Work = Callable[[Job], Mapping[str, Any]]
"""Does the job from where it stands; its answer becomes the job's result. May raise EbbError or
EmbeddingError, which end it as failed unless the model is only away."""

WORK: dict[str, Work] = {
    IMPORT: import_space,
    switching.KIND: switching.switch,
    sweeping.KIND: sweeping.sweep_in_batches,
    deleting.KIND: deleting.delete_in_batches,
}


class Words(NamedTuple):
    """What a page says of a kind of work: its name, and what the numbers in its result are."""

    name: _StrPromise
    counts: Mapping[str, _StrPromise]


WORDS: dict[str, Words] = {
    sweeping.KIND: Words(
        _("Sweep"),
        {
            "expired": _("expired"),
            "evicted": _("gone for want of room"),
            "purged": _("deleted for good"),
        },
    ),
}
"""Of the kinds that have no page of their own, and are watched and stopped by memory.views.jobs."""


def contribute(kind: str, work: Work, words: Words) -> None:
    """Adds a kind of work of an app above this one."""
    WORK[kind], WORDS[kind] = work, words


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


def work_in_front(job: Job) -> None:
    """As `work_at` for a command: a line says how far it is, Ctrl-C cancels. Reads the job anew."""

    def look(line: ProgressLine) -> None:
        line.show(job.done, job.total, job.left(timezone.now()))

    try:
        with shown(look, sys.stderr):
            work_at(job)
    except KeyboardInterrupt:
        jobs.cancel(space=job.space, job_id=job.pk, now=timezone.now())
        jobs.stop(job=job, now=timezone.now())
    job.refresh_from_db()


def resumed_in_front(space: Space, kind: str) -> Job:
    """The space's last work of this kind, taken up by a command. Raises NotFound, or Conflict if it
    has not stopped."""
    last = Job.objects.in_space(space).latest_of(kind)
    if last is None:
        raise NotFound(gettext("There is nothing to resume."))
    return jobs.take_up(space=space, job_id=last.pk, now=timezone.now())
