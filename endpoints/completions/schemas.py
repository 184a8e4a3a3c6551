"""The request fields that Ebb reads and the answer fields that it adds."""

from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema
from pydantic import AfterValidator, BaseModel, ConfigDict

from foundation.texts.fields import ZoneName

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
    timezone: ZoneName | None = None


class MemoryHeaders(Schema):
    """Options for Ebb as request headers, for clients that cannot add a field to the body."""

    x_ebb_conversation: Name | None = None
    x_ebb_memory: MemoryUseName | None = None
    x_openwebui_chat_id: Name | None = None

    @property
    def conversation(self) -> str | None:
        """The conversation's name, ours before Open WebUI's."""
        return self.x_ebb_conversation or self.x_openwebui_chat_id


def _with_role(message: Json) -> Json:
    """Return a message; raise ValueError if its role is no text."""
    if not isinstance(message.get("role"), str):
        raise ValueError("must have a role")
    return message


class CompletionIn(BaseModel):
    """A chat completion request in OpenAI's format.

    Other fields are passed to the model unchanged.
    """

    # Not ninja's Schema, which drops unknown fields.
    model_config = ConfigDict(extra="allow")

    messages: Annotated[list[Annotated[Json, AfterValidator(_with_role)]], Field(min_length=1)]
    model: str | None = None
    stream: bool | None = None
    stream_options: Json | None = None
    user: UserName | None = None
    safety_identifier: UserName | None = None
    ebb: Extension = Extension()

    def forwarded(self) -> Json:
        """Return the request for the model, before memories are added."""
        return self.model_dump(exclude_unset=True, exclude={"ebb"})


class Remembered(Schema):
    """Ebb's field of an answer and of a stream's first chunk: the ids, the recalled memories, and
    the memories that say how to answer.

    All ids are null if the request has no user text.
    """

    conversation_id: UUID | None
    message_id: UUID | None
    assessment_id: UUID | None
    recalled: list[Json] | None = None
    standing: list[Json] | None = None


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
    """`ebb`, the configured model, the others of its endpoint, and the embedding models."""

    object: Literal["list"] = "list"
    data: list[ModelOut]
