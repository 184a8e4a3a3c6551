"""The parts of a tool: name, description for models, arguments and handler."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict, EbbError, Forbidden, InvalidArguments, NotFound, refused
from foundation.readers import SHARED, Reader
from memory.embeddings import EmbeddingError
from memory.recall.results import Result
from memory.store.schemas import MemoryOut

TOOL = "tool"
"""The source of memories written by a tool, in a model's words rather than a person's."""


@dataclass(frozen=True)
class Caller:
    """The caller of a tool: actor, space, time and conversation, the `reader` for whom it acts, and
    the `person` who speaks, if known.

    `profile` ranks a search; None is the policy's. `said` is the text that led to the call: a
    secret in it is also masked in the written text. `review_reason` returns the reason to send
    words to review; callers that know the conversation and its speakers give it. Without it only
    the words are screened (memory.tools.write_guard). A new memory gets the caller's `agent_id` and
    `session_id`.
    """

    space: Space
    actor: Actor
    now: datetime
    conversation_id: str | None = None
    profile: str | None = None
    said: str = ""
    review_reason: Callable[[str], str | None] | None = None
    reader: Reader = SHARED
    person: str | None = None
    agent_id: str | None = None
    session_id: str | None = None


@dataclass(frozen=True)
class ToolAnswer:
    """The result of a tool: `text` for the model, `data` as JSON for programs. `found` are the
    search results in the text, for callers that count them as used."""

    text: str
    data: dict[str, Any]
    found: Sequence[Result] = ()


class Arguments(BaseModel):
    """Arguments of a tool. Unknown ones are refused, because the model would believe that an
    ignored importance was set.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A function that a model may call. `scope` is the permission that its caller needs; `answers`
    is the schema of its data.
    """

    name: str
    description: str
    arguments: type[A]
    scope: Literal["read", "write"]
    handler: Callable[[Caller, A], ToolAnswer]
    answers: type[BaseModel] = MemoryOut

    @cached_property  # cached: sent to a model before each reply
    def spec(self) -> dict[str, Any]:
        """The OpenAI function spec."""
        parameters = self.arguments.model_json_schema(schema_generator=_Parameters)
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    def parse(self, given: str | Mapping[str, Any]) -> A:
        """Return the arguments from JSON or its text; raises InvalidArguments."""
        try:
            if isinstance(given, str):
                return self.arguments.model_validate_json(given)
            return self.arguments.model_validate(given)
        except ValidationError as error:
            raise refused(error, whole="arguments") from None

    def call(self, caller: Caller, given: str | Mapping[str, Any]) -> ToolAnswer:
        """Call the handler. Raises the errors of the services; then nothing was written."""
        return self.handler(caller, self.parse(given))


_CODES: dict[type[Exception], str] = {
    InvalidArguments: "memory_invalid_arguments",
    NotFound: "not_found",
    Forbidden: "forbidden",
    Conflict: "conflict",
    EmbeddingError: "model_unavailable",
}


def refusal(error: EbbError | EmbeddingError) -> str:
    """Return an error's text for the model: the API's error code and the reason."""
    return f"{_CODES.get(type(error), 'error')}: {error}"


_UNSENT = {"minLength", "maxLength", "pattern", "maxItems", "description"}


class _Parameters(GenerateJsonSchema):
    """A JSON schema as short as a model needs it, with optional arguments simply not required.

    Omits lengths and patterns: servers that restrict a model to a grammar (llama.cpp) unroll them
    and fail at thousands. The arguments are validated on the server in any case.
    """

    def generate(self, schema: core_schema.CoreSchema, mode: Any = "validation") -> JsonSchemaValue:
        """Return the schema without titles, lengths, patterns and descriptions."""
        whole = super().generate(schema, mode)
        for field in whole["properties"].values():
            for part in (field, field.get("items", {})):
                for name in _UNSENT & part.keys():
                    del part[name]
        return {name: whole[name] for name in ("type", "properties", "required")}

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Leave titles out; they would only repeat the names."""
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Leave null out; a model omits the argument instead."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Leave defaults out of the schema."""
        return self.generate_inner(schema["schema"])
