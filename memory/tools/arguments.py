"""Arguments of the tools. Models see their names and types."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from foundation.errors import FieldError, InvalidArguments
from foundation.http.requests import Limit
from foundation.texts.fields import Text
from memory.drafts import MAX_TAGS, Content, Fraction, MemoryTypeName, Tag
from memory.tools.base import Arguments

Tags = Annotated[list[Tag], Field(max_length=MAX_TAGS)]


class Remember(Arguments):
    """A statement; its importance is assessed, not given by the model (seed 000,
    "RememberTool")."""

    content: Content
    tags: Tags | None = None


class MemoryWrite(Arguments):
    """A statement with an optional type and importance (seed 002)."""

    content: Content
    memory_type: MemoryTypeName | None = None
    importance: Fraction | None = None
    tags: Tags | None = None


class Search(Arguments):
    """A search query."""

    query: Annotated[Text, Field(min_length=1, max_length=20_000)]
    limit: Limit | None = None


class UpdateMemory(Arguments):
    """The changes to a memory (seed 000, "UpdateMemoryTool")."""

    memory_id: Text
    content: Content | None = None
    tags: Tags | None = None


class OneMemory(Arguments):
    """The memory to use."""

    memory_id: Text


def without_user(arguments: Mapping[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Return the user for whom a program calls a tool, and the tool's own arguments.

    The user is not an argument of the tools: a key, a header or the program names the user. Raises
    InvalidArguments if the user is not a text.
    """
    user_id = arguments.get("user_id")
    if user_id is not None and not isinstance(user_id, str):
        raise InvalidArguments(FieldError("user_id", "must be a string"))
    return user_id, {name: value for name, value in arguments.items() if name != "user_id"}
