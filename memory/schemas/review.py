"""Shapes: what waits for a person."""

from ninja import Schema

from memory.schemas.asked import Cursor
from memory.schemas.memories import Limit, MemoryOut


class ReviewListIn(Schema):
    """The place in the list."""

    limit: Limit = 50
    cursor: Cursor | None = None


class HeldOut(MemoryOut):
    """A memory that was held, with why."""

    review_reason: str


class ReviewList(Schema):
    """One page; `next` is the cursor of the page after it."""

    items: list[HeldOut]
    next: str | None
