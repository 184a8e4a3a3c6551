"""Leases: one worker at a time works on a row, and another worker continues if it dies.

Jobs and assessments are such rows. Their tables have `state`, `leased_until`, `attempts` and
`enqueued_at`. A worker claims a row by a conditional update, for the length of a lease, which it
may renew. Each claim changes the row's fence, so a worker that lost its lease cannot write: all its
writes go through `leased_by`.

Tasks read the time from the database (`database_now`). Otherwise a worker with a wrong clock could
lease rows for hours.
"""

from datetime import datetime, timedelta
from typing import ClassVar, Self, TypeVar
from uuid import UUID

from django.db import connection, models, transaction
from django.db.models import F, Q

from foundation.queue import enqueue

M = TypeVar("M", bound=models.Model)

MAX_STUCK = timedelta(minutes=1)
"""A row is stuck if its lease expired longer ago: no worker has taken it over."""
REQUEUE_AFTER = timedelta(seconds=20)
"""Minimum time before a row is enqueued again; slow work would otherwise fill the queue with
repeats."""
REQUEUE_LIMIT = 1000


class LeasedQuerySet(models.QuerySet[M]):
    """Queries on rows that workers lease."""

    FENCE: ClassVar[str]
    """The column that each claim changes."""
    EXHAUSTED: ClassVar[Q]
    """The abandoned rows that are not retried, because they may have crashed their workers."""

    def waiting(self, now: datetime) -> Self:
        """Return the queued rows that are due."""
        return self.filter(state="queued")

    def abandoned(self, now: datetime) -> Self:
        """Return the rows whose worker's lease has expired."""
        return self.filter(state="running", leased_until__lt=now)

    def claimable(self, now: datetime) -> Self:
        """Return the rows that a worker may claim."""
        return self.waiting(now) | self.abandoned(now).exclude(self.EXHAUSTED)

    def exhausted(self, now: datetime) -> Self:
        """Return the rows that several workers in turn have abandoned."""
        return self.abandoned(now).filter(self.EXHAUSTED)

    def leased_by(self, worker: M) -> Self:
        """Return the row as the worker claimed it; none if the worker has lost its lease."""
        claimed = {name: getattr(worker, name) for name in ("space_id", "pk", self.FENCE)}
        return self.filter(state="running", **claimed)


def database_now() -> datetime:
    """Return the time by the database's clock, which all hosts share."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now


@transaction.atomic
def claim(
    rows: LeasedQuerySet[M], *, space_id: int, row_id: UUID, now: datetime, until: datetime,
    **values: object,
) -> M | None:  # fmt: skip
    """Lease a row and return it, with `values` set; None if no worker may claim it now."""
    which = {"space_id": space_id, "pk": row_id}
    # Filtered last: inside the OR of `claimable`, the space would not select a shard.
    claimed = (
        rows.claimable(now)
        .filter(**which)
        .update(state="running", leased_until=until, attempts=F("attempts") + 1, error="", **values)
    )
    return rows.select_related("space__embedder").get(**which) if claimed else None


def requeue_due(rows: LeasedQuerySet[M], task: str, *, now: datetime) -> int:
    """Enqueue rows that are due, abandoned or whose task was lost; return their number."""
    due = rows.claimable(now).filter(enqueued_at__lte=now - REQUEUE_AFTER)
    found = due.order_by("enqueued_at").values_list("space_id", "pk")[:REQUEUE_LIMIT]
    for space_id, row_id in (ids := list(found)):
        rows.filter(space_id=space_id, pk=row_id).update(enqueued_at=now)
        enqueue(task, space_id, row_id)
    return len(ids)
