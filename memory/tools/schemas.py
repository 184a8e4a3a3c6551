"""Schemas of the function tools and their answers."""

from typing import Any, Literal

from ninja import Schema


class FunctionOut(Schema):
    """A function as described to a model; `parameters` is a JSON schema."""

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
    """The result of a tool: text for the model, and the same as JSON (a memory or search
    results).
    """

    text: str
    data: dict[str, Any]
