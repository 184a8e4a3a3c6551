"""Shapes: whether a memory was relevant to a question."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from ninja import Field, Schema
from pydantic import ConfigDict

from memory.drafts import MAX_CONTENT, Content


class RelevanceIn(Schema):
    """A question, and whether the memory has to do with it."""

    model_config = ConfigDict(extra="forbid")

    query: Annotated[Content, Field(max_length=MAX_CONTENT)]
    relevant: Annotated[bool, Field(strict=True)]


class RelevanceOut(Schema):
    """A mark as it stands."""

    memory_id: UUID
    query: str
    relevant: bool
    created_at: datetime
