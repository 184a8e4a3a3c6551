"""Schemas of a memory."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema

from memory.drafts import MemoryTypeName
from memory.models import Memory


class SourceOut(Schema):
    """The origin of a memory."""

    role: str
    speaker: str | None
    conversation_id: str | None
    assessment_id: UUID | None


class MemoryOut(Schema):
    """A memory, with its importance after decay as of now."""

    id: UUID
    short_id: Annotated[
        str, Field(description="The first 8 digits of the id. Usable in place of the id.")
    ]
    content: str
    memory_type: MemoryTypeName
    tags: list[str]
    topics: list[str]
    importance: Annotated[
        float, Field(description="Base importance, 0 to 1. Time does not change it.")
    ]
    time_coef: Annotated[float, Field(description="Time coefficient, 0 to 1.")]
    current_importance: Annotated[float, Field(description="importance × time_coef, as of now.")]
    facets: Annotated[
        dict[str, float] | None, Field(description="P, E, I, J, valence and intensity, or null.")
    ]
    core: Annotated[
        bool, Field(description="Whether it is a lasting trait (P = 1), which never fades.")
    ]
    pinned: Annotated[
        bool, Field(description="Whether a person pinned it. Pinned memories never fade or expire.")
    ]
    status: Literal["live", "review", "binned"]
    created_at: datetime
    last_active_at: Annotated[
        datetime | None, Field(description="When it was last sent to a model, or restored.")
    ]
    use_count: Annotated[int, Field(description="How often it was sent to a model.")]
    expires_at: datetime | None
    revision: int
    source: SourceOut

    @staticmethod
    def resolve_source(memory: Memory) -> dict[str, Any]:
        return {
            "role": memory.source_role,
            "speaker": memory.source_speaker or None,
            "conversation_id": memory.source_conversation or None,
            "assessment_id": memory.source_assessment,
        }

    @classmethod
    def of(cls, memory: Memory) -> "MemoryOut":
        """Return a memory's schema without validation: the values come from typed columns."""
        values = {name: getattr(memory, name) for name in cls.model_fields if name != "source"}
        source = SourceOut.model_construct(**cls.resolve_source(memory))
        return cls.model_construct(**values, source=source)
