"""JSON schemas of jobs."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema

from memory.models import Job


class ImportIn(Schema):
    """The parameters of an import: `skip` omits invalid lines, `abort` writes nothing if any
    exist. `preview` only checks the file and forecasts lifetimes. `keep_forever` pins the memories.
    `exchanges` is the most of another assistant's exchanges to assess, the newest ones.
    """

    on_error: Literal["skip", "abort"] = "skip"
    preview: bool = False
    keep_forever: bool = False
    exchanges: Annotated[int, Field(ge=1, le=100_000)] = 1000


class JobOut(Schema):
    """A job and its progress. `done` and `total` count its units: bytes of a file, memories."""

    id: UUID
    kind: str
    status: str
    done: int
    total: int | None
    seconds_left: float | None
    cancel_requested: bool
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    error: str
    result: dict[str, Any]

    @classmethod
    def of(cls, job: Job, now: datetime, details: Mapping[str, Any] | None = None) -> "JobOut":
        """Return the job with its remaining time as of `now`. `details` are added to its result."""
        left = job.left(now)
        return cls(
            id=job.pk,
            kind=job.kind,
            status=job.state,
            done=job.done,
            total=job.total,
            seconds_left=None if left is None else round(left.total_seconds(), 1),
            cancel_requested=job.cancel_requested,
            created_at=job.created_at,
            started_at=job.started_at,
            ended_at=job.ended_at,
            error=job.error,
            result={**job.result, **(details or {})},
        )


class JobList(Schema):
    """One page of jobs; `next` is the cursor of the next page."""

    items: list[JobOut]
    next: str | None
