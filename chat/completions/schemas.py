"""The request fields that Ebb reads and the answer fields that it adds."""

from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema
from pydantic import BaseModel, ConfigDict

Json = dict[str, Any]
MemoryUseName = Literal["on", "read_only", "off"]
# The client's name for a conversation or a user.
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00]+$")]
# Clients without users send "".
UserName = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]


class Extension(Schema):
    """Options for Ebb in the request's field `ebb`. They are not sent to the model.

    `memory` applies to the conversation from now on, as in `POST /api/v1/chat`.
    """

    model_config = ConfigDict(extra="forbid")

    memory: MemoryUseName | None = None
    recalled: bool = True  # whether the answer lists what was recalled
    profile: str | None = None
    conversation: Name | None = None


class CompletionIn(BaseModel):
    """A chat completion request in OpenAI's format.

    Other fields are passed to the model unchanged.
    """

    # Not ninja's Schema, which drops unknown fields.
    model_config = ConfigDict(extra="allow")

    messages: Annotated[list[Json], Field(min_length=1)]
    model: str | None = None
    stream: bool | None = None
    user: UserName | None = None
    ebb: Extension = Extension()

    def forwarded(self) -> Json:
        """Return the request for the model, before memories are added."""
        return self.model_dump(exclude_unset=True, exclude={"ebb"})


class Remembered(Schema):
    """Ebb's field of an answer and of a stream's first chunk: the ids and the recalled memories.

    All ids are null if the request has no user text.
    """

    conversation_id: UUID | None
    message_id: UUID | None
    assessment_id: UUID | None
    recalled: list[Json] | None = None


class CompletionOut(BaseModel):
    """The model's answer unchanged, plus `ebb`.

    With `stream`, chunks come as server-sent events.
    """

    model_config = ConfigDict(extra="allow")

    ebb: Remembered


class ModelOut(BaseModel):
    """A model as the endpoint describes it."""

    model_config = ConfigDict(extra="allow")

    id: str
    object: str = "model"


class ModelList(Schema):
    """The configured model first, then the others of its endpoint."""

    object: Literal["list"] = "list"
    data: list[ModelOut]
