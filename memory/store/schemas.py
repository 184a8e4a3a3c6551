"""Schemas of a memory."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema

from memory.drafts import MemoryTypeName
from memory.models import Memory
from memory.store.importance_parts import ImportanceParts, importance_parts


class SourceOut(Schema):
    """The origin of a memory."""

    role: str
    speaker: str | None
    conversation_id: str | None
    assessment_id: UUID | None


class ImportancePartsOut(Schema):
    """The parts of an importance: base + reinforcement."""

    base: Annotated[float, Field(description="The importance before restatements raised it.")]
    reinforcement: Annotated[float, Field(description="Importance that restatements added.")]
    from_facets: Annotated[
        float | None,
        Field(description="Importance calculated from the facets; null without facets."),
    ]
    set_by_hand: Annotated[
        bool, Field(description="Whether the base differs from the result of the facets.")
    ]


class MemoryOut(Schema):
    """A memory, with its importance after decay as of now."""

    id: UUID
    short_id: Annotated[
        str, Field(description="The first 8 digits of the id. Usable in place of the id.")
    ]
    user_id: Annotated[
        str | None,
        Field(description="The user to whom the memory belongs; null if all users share it."),
    ]
    agent_id: str | None
    session_id: str | None
    external_id: Annotated[
        str | None, Field(description="The caller's own id, unique for each user.")
    ]
    metadata: dict[str, Any]
    content: str
    memory_type: MemoryTypeName
    tags: list[str]
    topics: list[str]
    importance: Annotated[
        float, Field(description="Base importance, 0 to 1. Time does not change it.")
    ]
    importance_parts: ImportancePartsOut
    time_coef: Annotated[float, Field(description="Time coefficient, 0 to 1.")]
    current_importance: Annotated[float, Field(description="importance × time_coef, as of now.")]
    adjustment: Annotated[
        float,
        Field(
            description="Learned from use and from people's decisions, -0.15 to 0.15. Where the "
            "policy's `importance.learn` is on, current_importance + adjustment ranks the memory."
        ),
    ]
    facets: Annotated[
        dict[str, float] | None, Field(description="P, E, I, J, valence and intensity, or null.")
    ]
    core: Annotated[bool, Field(description="True for a lasting trait (P = 1), which never fades.")]
    pinned: Annotated[
        bool, Field(description="True if a person pinned the memory: it never fades or expires.")
    ]
    status: Literal["live", "review", "binned"]
    created_at: datetime
    event_at: Annotated[
        datetime | None,
        Field(description="The first moment of the event in the content, or null."),
    ]
    event_precision: Annotated[
        Literal["day", "month", "year"] | None,
        Field(description="How precisely the content gives `event_at`."),
    ]
    valid_from: Annotated[datetime, Field(description="When the content became true.")]
    valid_to: Annotated[
        datetime | None,
        Field(description="When the content stopped being true; null unless superseded."),
    ]
    last_active_at: Annotated[
        datetime | None, Field(description="When the memory was last sent to a model.")
    ]
    use_count: Annotated[int, Field(description="How often the memory was sent to a model.")]
    expires_at: datetime | None
    revision: int
    source: SourceOut

    @staticmethod
    def resolve_importance_parts(memory: Memory) -> ImportanceParts:
        """Return the numbers that make up the importance."""
        return importance_parts(memory)

    @staticmethod
    def resolve_event_precision(memory: Memory) -> str | None:
        """Return "day", "month" or "year"; None if the text names no time."""
        return memory.event_precision or None

    @staticmethod
    def resolve_valid_from(memory: Memory) -> datetime:
        """Return the moment from which the memory is true."""
        return memory.begins_at

    @staticmethod
    def resolve_source(memory: Memory) -> dict[str, Any]:
        """Return who said the memory, and where."""
        return {
            "role": memory.source_role,
            "speaker": memory.source_speaker or None,
            "conversation_id": memory.source_conversation or None,
            "assessment_id": memory.source_assessment,
        }

    @classmethod
    def of(cls, memory: Memory) -> "MemoryOut":
        """Return a memory's schema without validation: the values come from typed columns."""
        parts = importance_parts(memory)
        return cls.model_construct(
            **{name: getattr(memory, name) for name in _columns()},
            event_precision=cls.resolve_event_precision(memory),
            valid_from=cls.resolve_valid_from(memory),
            importance_parts=ImportancePartsOut.model_construct(
                **vars(parts), set_by_hand=parts.set_by_hand
            ),
            source=SourceOut.model_construct(**cls.resolve_source(memory)),
        )


@cache
def _columns() -> Sequence[str]:
    own = {"source", "importance_parts", "event_precision", "valid_from"}
    return [name for name in MemoryOut.model_fields if name not in own]
