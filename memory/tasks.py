"""Celery's side of the memory core. Each may run twice."""

from uuid import UUID

from celery import shared_task
from django.utils import timezone

from memory.jobs import work_at
from memory.services import jobs
from memory.services.retention import sweep_all
from memory.services.switching import clear_after_switches


@shared_task
def sweep_all_spaces() -> None:
    """Beat's sweep: expiry, capacity, the recycle bin, and vectors that nobody asks any more."""
    sweep_all(now=timezone.now())
    clear_after_switches(now=timezone.now())


@shared_task
def work(space_id: int, job_id: str) -> None:
    """Does a job, if nobody else is at it."""
    job = jobs.claim_job(space_id=space_id, job_id=UUID(job_id), now=timezone.now())
    if job is not None:
        work_at(job)


@shared_task
def pick_up_jobs() -> None:
    """Beat's part of long work."""
    jobs.pick_up(now=timezone.now())
