"""What a tool is: a name, what a model is told of it, what it takes, and what it does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from memory.actors import Actor
from memory.embeddings import EmbeddingError
from memory.errors import Conflict, EbbError, InvalidArguments, NotFound, refused
from memory.models import Space
from memory.recall.recall import Result

TOOL = "tool"
"""The source of what was written by a tool: a model's choice of words, not what a person said."""


@dataclass(frozen=True)
class Caller:
    """Who calls a tool, in which space, when, and out of which conversation.

    `profile` ranks a search; None is the policy's. `said` is what the tool is called upon: a secret
    there is one in what is written. `held_because` gives the reason why words that are to be
    remembered must wait for a person: who knows the conversation knows whose they are. Without it
    the words speak for themselves (tools.write_guard).
    """

    space: Space
    actor: Actor
    now: datetime
    conversation_id: str | None = None
    profile: str | None = None
    said: str = ""
    held_because: Callable[[str], str | None] | None = None


@dataclass(frozen=True)
class ToolAnswer:
    """`text` is for the model, `data` the same as JSON for programs; `found` is what a search put
    into the text, for callers that count it as used."""

    text: str
    data: dict[str, Any]
    found: Sequence[Result] = ()


class Arguments(BaseModel):
    """What a tool takes. Nothing else is accepted: an importance that is ignored would look set."""

    model_config = ConfigDict(extra="forbid", frozen=True)


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A function that a model may call. `scope` is what its caller must be allowed."""

    name: str
    description: str
    arguments: type[A]
    scope: Literal["read", "write"]
    handler: Callable[[Caller, A], ToolAnswer]

    @cached_property  # a model is told it before its first token
    def spec(self) -> dict[str, Any]:
        """The OpenAI function spec."""
        parameters = self.arguments.model_json_schema(schema_generator=_Parameters)
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    def parse(self, given: str | Mapping[str, Any]) -> A:
        """The arguments, from JSON or its text; raises InvalidArguments."""
        try:
            if isinstance(given, str):
                return self.arguments.model_validate_json(given)
            return self.arguments.model_validate(given)
        except ValidationError as error:
            raise refused(error, whole="arguments") from None

    def call(self, caller: Caller, given: str | Mapping[str, Any]) -> ToolAnswer:
        """Does it. Raises what the services raise; then nothing was written."""
        return self.handler(caller, self.parse(given))


_CODES: dict[type[Exception], str] = {
    InvalidArguments: "memory_invalid_arguments",
    NotFound: "not_found",
    Conflict: "conflict",
    EmbeddingError: "model_unavailable",
}


def refusal(error: EbbError | EmbeddingError) -> str:
    """What a model is told of an error: the code that programs are told, and the reason."""
    return f"{_CODES.get(type(error), 'error')}: {error}"


class _Parameters(GenerateJsonSchema):
    """A schema as short as a model needs it: an argument that may be left out is just that.

    Without the lengths and patterns of texts: servers that hold a model to a grammar (llama.cpp)
    unroll them and give up at thousands. The arguments are checked here in any case.
    """

    def generate(self, schema: core_schema.CoreSchema, mode: Any = "validation") -> JsonSchemaValue:
        whole = super().generate(schema, mode)
        del whole["title"], whole["description"]
        for field in whole["properties"].values():
            for text in (field, field.get("items", {})):
                text.pop("minLength", None)
                text.pop("maxLength", None)
                text.pop("pattern", None)
        return whole

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])
