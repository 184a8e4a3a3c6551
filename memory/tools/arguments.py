"""Arguments of the tools. Models see the descriptions."""

from typing import Annotated

from pydantic import Field

from memory.drafts import MAX_TAGS, Content, Fraction, MemoryTypeName, Tag, Text
from memory.requests import Limit
from memory.tools.base import Arguments

Statement = Annotated[
    Content,
    Field(description="One fact as a complete sentence, such as “User is allergic to penicillin”."),
]
Tags = Annotated[list[Tag], Field(max_length=MAX_TAGS, description="A few lower-case tags.")]
MemoryId = Annotated[
    Text, Field(description="The memory's id, short or full, as a search returned it.")
]


class Remember(Arguments):
    """A statement; its importance is assessed, not given by the model (seed 000,
    "RememberTool")."""

    content: Statement
    tags: Tags | None = None


class MemoryWrite(Arguments):
    """A statement with an optional type and importance (seed 002)."""

    content: Statement
    memory_type: MemoryTypeName | None = None
    importance: (
        Annotated[Fraction, Field(description="0 to 1. Default: the type's own importance.")] | None
    ) = None
    tags: Tags | None = None


class Search(Arguments):
    """A search query."""

    query: Annotated[
        Text,
        Field(
            min_length=1,
            max_length=20_000,
            description="What to look for, as a question or keywords.",
        ),
    ]
    limit: Annotated[Limit, Field(description="Maximum number of items.")] | None = None


class UpdateMemory(Arguments):
    """The changes to a memory (seed 000, "UpdateMemoryTool")."""

    memory_id: MemoryId
    content: Statement | None = None
    tags: Annotated[Tags, Field(description="The complete new list of tags.")] | None = None


class OneMemory(Arguments):
    """The memory to use."""

    memory_id: MemoryId
