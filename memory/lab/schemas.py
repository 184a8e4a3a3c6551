"""API schemas of relevance marks."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from ninja import Field, Schema

from foundation.http.requests import Body, Flag, example
from memory.drafts import MAX_CONTENT, Content


class RelevanceIn(Body):
    """A question, and whether the memory is relevant to it."""

    model_config = example(query="What does the user eat?", relevant=True)

    query: Annotated[Content, Field(max_length=MAX_CONTENT)]
    relevant: Flag


class RelevanceOut(Schema):
    """A stored relevance mark."""

    memory_id: UUID
    query: str
    relevant: bool
    created_at: datetime
