"""Shapes: what waits for a person."""

from typing import Literal
from uuid import UUID

from ninja import Schema

from memory.store.schemas import MemoryOut


class ProposalOut(Schema):
    """What a held memory was about to do to one that is known. An approval does it, if that one is
    still what it was then."""

    verdict: Literal["reinforce", "revise", "supersede"]
    memory_id: UUID
    reason: str


class HeldOut(MemoryOut):
    """A memory that was held, with why."""

    review_reason: str
    review_proposal: ProposalOut | None


class ReviewList(Schema):
    """One page; `next` is the cursor of the page after it."""

    items: list[HeldOut]
    next: str | None
