"""Schemas of consolidation. The proposals themselves are in the job's result."""

from typing import Annotated
from uuid import UUID

from ninja import Field, Schema

from foundation.http.requests import Body, RowId, example


class ApplyIn(Body):
    """The job whose proposals to apply: the ones with these ids, or all without `ids`."""

    model_config = example(job_id="5f0b6d5e-6b1e-4bb5-9a7c-5d2f0f6c3e11")

    job_id: RowId
    ids: Annotated[list[RowId], Field(min_length=1, max_length=1000)] | None = None


class AppliedOut(Schema):
    """The action, which can be undone, and the number of proposals applied. `outdated` counts those
    whose memories have changed since; they were not applied. `action_id` is null if nothing was."""

    action_id: UUID | None
    applied: int
    outdated: int


class UndoneOut(Schema):
    """The numbers of memories that were restored, and of those left unchanged because they were
    changed since.
    """

    restored: int
    left: int
