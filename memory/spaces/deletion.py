"""Deletion of a space: closed at once, recoverable during a grace period, then deleted in batches.

A closed space is hidden from everybody, including its members and API keys. Until GRACE is over,
`reopen_space` restores it completely. Then beat starts a job that deletes the rows, table by table.
After the first batch, the deletion can be neither undone nor cancelled, because half a space is
useless. If a worker dies, another one continues.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from graphlib import TopologicalSorter
from typing import Any

from django.db import connection, transaction
from django.db.models import ForeignKey, Model

from accounts.audit import note
from accounts.models import AuditAction, Membership, Space
from foundation.actors import SYSTEM, Actor
from foundation.database.leases import database_now
from foundation.errors import Conflict
from memory.jobs import services as jobs
from memory.models import Job, JobState
from memory.spaces.services import delete_space, models_of_spaces

logger = logging.getLogger(__name__)

KIND = "delete"
GRACE = timedelta(minutes=10)
BATCH = 5000  # rows; one batch takes much less time than a lease


@transaction.atomic
def close_space(*, space: Space, actor: Actor, now: datetime) -> Space:
    """Close the space to everybody and cancel its jobs; it is deleted when GRACE is over.

    Raises Conflict if it is closed already.
    """
    held = _held(space)
    if held.closed_at is not None:
        raise Conflict("The space is already being deleted.")
    for job_id in Job.objects.in_space(held).unfinished().values_list("pk", flat=True):
        jobs.cancel(space=held, job_id=job_id, now=now)
    held.closed_at = now
    held.save(update_fields=["closed_at"])
    note(space=held, actor=actor, action=AuditAction.SPACE_CLOSED, subject=held.name, now=now)
    # The audit is deleted with the space.
    logger.warning(
        "The space %s will be deleted; requested by %s %s", held.slug, actor.type, actor.name
    )
    return held


@transaction.atomic
def reopen_space(*, space: Space, actor: Actor, now: datetime) -> Space:
    """Reopen a closed space as it was. Raises Conflict if some rows are deleted already, or if the
    space is not closed."""
    held = _held(space)
    if held.closed_at is None:
        raise Conflict("The space is not being deleted.")
    job = deletion(held)
    if job is not None and job.done:
        raise Conflict("Part of the space is already deleted.")
    if job is not None:
        # A worker's first batch is rolled back at `advance`, which waits for our lock.
        jobs.cancel(space=held, job_id=job.pk, now=now)
    held.closed_at = None
    held.save(update_fields=["closed_at"])
    note(space=held, actor=actor, action=AuditAction.SPACE_REOPENED, subject=held.name, now=now)
    return held


def deletion(space: Space) -> Job | None:
    """Return the deletion job of a closed space, if it has begun."""
    begun = Job.objects.in_space(space).filter(kind=KIND, created_at__gte=space.closed_at)
    return begun.order_by("-created_at").first()


def start_due(*, now: datetime) -> None:
    """Start the deletions whose grace period is over; beat calls this."""
    for space in Space.objects.filter(closed_at__lte=now - GRACE):
        job = deletion(space)
        with suppress(Conflict):
            if job is None:
                _start(space, now)
            elif job.state == JobState.FAILED:
                jobs.resume(space=space, job_id=job.pk, now=now)


def delete_in_batches(job: Job) -> Mapping[str, Any]:
    """Delete all rows of the space as the job's work, the space and the job last. Raises
    JobStopped."""
    total = job.total or sum(
        table.model._base_manager.filter(space_id=job.space.pk).count() for table in _tables()
    )
    while _step(job, total):
        pass
    with transaction.atomic():
        _held(job.space)
        jobs.advance(job=job, done=job.done, now=database_now())
        delete_space(space=job.space, actor=SYSTEM)
    return {}


@transaction.atomic
def _step(job: Job, total: int) -> int:
    """Delete one batch and record the job's progress; return the number of deleted rows."""
    _held(job.space)
    gone = next((n for table in _tables() if (n := _delete_some(table, job.space))), 0)
    done = job.done + gone
    jobs.advance(job=job, done=done, total=max(total, done), now=database_now())
    return gone


def _start(space: Space, now: datetime) -> Job:
    return jobs.start_job(space=space, kind=KIND, parameters={}, actor=SYSTEM, now=now)


def _held(space: Space) -> Space:
    """Return the space, locked against closing, reopening and deleting by others."""
    return Space.objects.select_for_update(no_key=True).get(pk=space.pk)


@dataclass(frozen=True)
class _Table:
    """A table whose rows belong to a space, and its foreign keys to itself."""

    model: type[Model]
    own_keys: Sequence[str]


@cache
def _tables() -> Sequence[_Table]:
    """Return the tables of spaces, each before the tables that its rows refer to, so that no batch
    leaves a dangling reference. Jobs and memberships are deleted with the space: they show the
    progress and who may see it."""
    kept = {Job, Membership}
    found = [model for model in models_of_spaces() if model not in kept]
    order: TopologicalSorter[type[Model]] = TopologicalSorter({model: [] for model in found})
    for model in found:
        for key in _keys(model):
            if key.related_model in found and key.related_model is not model:
                order.add(key.related_model, model)
    return [
        _Table(
            model,
            [key.column for key in _keys(model) if key.related_model is model],
        )
        for model in order.static_order()
    ]


def _keys(model: type[Model]) -> list[Any]:
    return [field for field in model._meta.fields if isinstance(field, ForeignKey)]


def _delete_some(table: _Table, space: Space) -> int:
    """Delete a batch of rows; return their number. Rows that refer to others of their table come
    first."""
    name = table.model._meta.db_table
    with connection.cursor() as cursor:
        for condition in (*(f'"{key}" IS NOT NULL' for key in table.own_keys), "TRUE"):
            cursor.execute(
                f"""
                DELETE FROM "{name}" WHERE space_id = %(space)s AND id IN (
                    SELECT id FROM "{name}" WHERE space_id = %(space)s AND {condition}
                    LIMIT %(batch)s
                )
                """,  # noqa: S608 - names of our own tables and columns
                {"space": space.pk, "batch": BATCH},
            )
            if cursor.rowcount:
                return int(cursor.rowcount)
    return 0
