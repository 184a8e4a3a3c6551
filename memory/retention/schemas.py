"""Schemas of the recycle bin."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from ninja import Field, Schema

from foundation.http.requests import Body, MemoryReference, example
from memory.models import Memory
from memory.store.schemas import MemoryOut


class BinnedOut(MemoryOut):
    """A memory in the recycle bin, with the reason, its importance at that time, and its purge
    date: null for a superseded memory, which is kept as long as the one that replaced it."""

    binned_at: datetime
    reason: Literal["expired", "over_capacity", "deleted", "superseded", "rejected", "consolidated"]
    consolidated_into: Annotated[
        UUID | None, Field(description="The memory into which this one was consolidated.")
    ]
    importance_then: float | None
    rank_then: int | None
    purge_at: datetime | None

    @staticmethod
    def resolve_reason(memory: Memory) -> str:
        """Return why the memory was moved to the bin."""
        return memory.bin_reason

    @staticmethod
    def resolve_consolidated_into(memory: Memory) -> UUID | None:
        """Return the id of the memory that replaced this one in a consolidation."""
        return memory.consolidated_into  # type: ignore[attr-defined, no-any-return]  # set by the list of the bin


class BinList(Schema):
    """One page; `next` is the cursor of the following page."""

    items: list[BinnedOut]
    next: str | None


class RestoreIn(Body):
    """The memories to restore, by full or short ids."""

    model_config = example(ids=["f926ff7f"])

    ids: Annotated[list[MemoryReference], Field(min_length=1, max_length=1000)]


class RestoreOut(Schema):
    """The restored memories."""

    items: list[MemoryOut]
