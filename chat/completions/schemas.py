"""The fields of a request that Ebb reads, and of an answer that it adds. The rest is not ours."""

from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema
from pydantic import BaseModel, ConfigDict

Json = dict[str, Any]
MemoryUseName = Literal["on", "read_only", "off"]
# A client's own name for a conversation or for one of its users.
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00]+$")]
# "" is said by clients that know of no user.
UserName = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]


class Extension(Schema):
    """What a request may tell Ebb, in the field `ebb`; none of it goes to the model.

    `memory` holds for the conversation from here on, as it does in `POST /api/v1/chat`.
    """

    model_config = ConfigDict(extra="forbid")

    memory: MemoryUseName | None = None
    recalled: bool = True  # whether the answer lists what was recalled
    profile: str | None = None
    conversation: Name | None = None


class CompletionIn(BaseModel):
    """A chat completion request as OpenAI has it. Whatever is not named here goes on as it is."""

    # Not ninja's Schema, which would lose what it does not know.
    model_config = ConfigDict(extra="allow")

    messages: Annotated[list[Json], Field(min_length=1)]
    model: str | None = None
    stream: bool | None = None
    user: UserName | None = None
    ebb: Extension = Extension()

    def forwarded(self) -> Json:
        """The request as the model gets it, but for the memories."""
        return self.model_dump(exclude_unset=True, exclude={"ebb"})


class Remembered(Schema):
    """The field `ebb` of an answer and of a stream's first chunk: what memory had to do with it.

    All null for a request in which no user says anything.
    """

    conversation_id: UUID | None
    message_id: UUID | None
    assessment_id: UUID | None
    recalled: list[Json] | None = None


class CompletionOut(BaseModel):
    """The model's answer as it came, and `ebb`. With `stream`, chunks as server-sent events."""

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
