"""Shapes: the function tools and what they answer."""

from typing import Any, Literal

from ninja import Schema


class FunctionOut(Schema):
    """A function as a model is told of it; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolOut(Schema):
    """An OpenAI function spec."""

    type: Literal["function"]
    function: FunctionOut


class ToolList(Schema):
    """All tools."""

    items: list[ToolOut]
    next: None = None


class ToolAnswerOut(Schema):
    """What a tool answered: words for the model, and the same as JSON (a memory, or the answer of
    a search)."""

    text: str
    data: dict[str, Any]
