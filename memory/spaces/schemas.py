"""API schemas of spaces."""

from datetime import datetime
from typing import Annotated

from ninja import Field, Schema

from foundation.http.requests import Body, example
from foundation.texts.fields import Text
from memory.spaces.services import MAX_NAME, MAX_SLUG

Slug = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_SLUG,
        description="The space's short name.",
        json_schema_extra={"pattern": "^[-a-zA-Z0-9_]+$", "example": "work"},
    ),
]


class SpaceIn(Body):
    """A space to create. By default its name is its short name."""

    model_config = example(slug="work", name="Work", language="en")

    slug: Slug
    name: Annotated[Text, Field(max_length=MAX_NAME)] = ""
    language: Annotated[str, Field(pattern="^[a-z]{2}$")] = "en"


class SpaceOut(Schema):
    """A space. `embedding_model` is the model that finds its memories."""

    slug: str
    name: str
    embedding_model: str
    created_at: datetime


class SpaceList(Schema):
    """One page of spaces; `next` is the cursor of the next page."""

    items: list[SpaceOut]
    next: str | None
