"""Schemas of revisions and reverting."""

from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Schema

from foundation.http.requests import PLACE, Body, Limit, Number, example


class RevisionListIn(Schema):
    """The position in the list."""

    limit: Limit = 50
    cursor: Annotated[str, Field(pattern="^[0-9]{1,9}$", description=PLACE)] | None = None


class RevisionOut(Schema):
    """One revision; the current one has no `replaced_at`."""

    revision: int
    content: str
    memory_type: str
    importance: float
    facets: dict[str, float] | None
    tags: list[str]
    topics: list[str]
    replaced_at: datetime | None
    reason: str
    actor: dict[str, Any] | None


class RevisionList(Schema):
    """One page; `next` is the cursor of the following page: the number of its last revision."""

    items: list[RevisionOut]
    next: str | None


class RevertIn(Body):
    """The past revision to restore."""

    model_config = example(revision=1)

    revision: Number
