"""Shapes: what a memory said before, and the way back."""

from datetime import datetime
from typing import Any

from ninja import Schema

from memory.schemas.asked import Asked, Number, example


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
    """Every revision, newest first."""

    items: list[RevisionOut]
    next: None = None


class RevertIn(Asked):
    """The past revision to go back to."""

    model_config = example(revision=1)

    revision: Number
