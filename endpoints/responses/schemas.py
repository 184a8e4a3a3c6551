"""The request fields of the Responses API that Ebb reads, and its answers."""

from typing import Annotated, Any, Literal

from ninja import Field, Schema
from pydantic import BaseModel, BeforeValidator, ConfigDict

from endpoints.completions.schemas import Extension, Json, Name, Remembered, UserName

ResponseId = Annotated[str, Field(max_length=64, pattern=r"^[^\x00]*$")]


def _text_or_items(value: object) -> object:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return value
    raise ValueError("must be a string or a list of items, and not empty")


def _id_of(value: object) -> object:
    return value.get("id") if isinstance(value, dict) else value


class ResponseIn(BaseModel):
    """A request in the format of OpenAI's Responses API.

    Fields that are not named here are passed to the model unchanged.
    """

    model_config = ConfigDict(extra="allow")

    input: Annotated[str | list[Json], BeforeValidator(_text_or_items)]
    model: str | None = None
    instructions: str | None = None
    stream: bool | None = None
    store: bool | None = None
    previous_response_id: ResponseId | None = None
    # An id or a name; OpenAI's clients also send `{"id": …}`.
    conversation: Annotated[Name | None, BeforeValidator(_id_of)] = None
    tools: list[Json] | None = None
    tool_choice: str | Json | None = None
    parallel_tool_calls: bool | None = None
    text: Json | None = None
    max_output_tokens: int | None = None
    reasoning: Json | None = None
    metadata: Json | None = None
    background: bool | None = None
    prompt: Json | None = None
    user: UserName | None = None
    safety_identifier: UserName | None = None
    ebb: Extension = Extension()

    @property
    def items(self) -> list[Json]:
        """The input as items."""
        if isinstance(self.input, str):
            return [{"type": "message", "role": "user", "content": self.input}]
        return self.input

    @property
    def format(self) -> Json | None:
        """The format of a structured answer; None for plain text."""
        asked = (self.text or {}).get("format")
        plain = not isinstance(asked, dict) or asked.get("type") == "text"
        return None if plain else asked

    @property
    def is_stored(self) -> bool:
        """True unless the client said otherwise."""
        return self.store is not False


class ResponseOut(BaseModel):
    """A response with its output items, plus `ebb`. With `stream`, it comes as events."""

    model_config = ConfigDict(extra="allow")

    id: str
    object: Literal["response"] = "response"
    status: str
    output: list[dict[str, Any]]
    ebb: Remembered


class DeletedOut(Schema):
    """A deleted response."""

    id: str
    object: Literal["response"] = "response"
    deleted: Literal[True] = True
