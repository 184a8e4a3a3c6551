"""Schemas of the review queue."""

from typing import Literal
from uuid import UUID

from ninja import Schema

from memory.models import Memory
from memory.models.reasons import in_english
from memory.store.schemas import MemoryOut


class ProposalOut(Schema):
    """The change that a memory waiting for review proposes to a known memory. Approving the waiting
    memory applies it, if the known memory is unchanged."""

    verdict: Literal["reinforce", "revise", "supersede"]
    memory_id: UUID
    reason: str


class HeldOut(MemoryOut):
    """A memory that was sent to review, with the reason."""

    review_reason: str
    review_proposal: ProposalOut | None

    @staticmethod
    def resolve_review_reason(memory: Memory) -> str:
        """Return the reason in English."""
        return in_english(memory.review_reason)


class ReviewList(Schema):
    """One page; `next` is the cursor of the following page."""

    items: list[HeldOut]
    next: str | None
