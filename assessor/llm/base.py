"""What every chat model can do, whoever serves it.

The assessor asks for one whole answer (`complete`), the chat for a stream (`stream`), the
OpenAI-compatible API hands requests on as they are (`forward`, `forward_stream`, `models`), the
health page asks whether anybody is there (`check`). All are async: the chat's views are, and a
Celery task runs its one call in `asyncio.run`.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

Role = Literal["system", "user", "assistant", "tool"]
Count = Annotated[int, Field(ge=0, lt=1 << 30)]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function the model wants called; `arguments` is the JSON text as the model wrote it.

    It stays text because it has to be sent back word for word, and because a model that writes
    bad JSON is answered by the tool, not by the transport.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message. `tool_calls` belong to role `assistant`, `tool_call_id` to role `tool`."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    prompt_tokens: Count
    completion_tokens: Count


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer; `model` is the name the endpoint gave, `usage` None if it did not count."""

    text: str
    model: str
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The last chunk of each stream that did not raise."""

    finish_reason: str
    usage: Usage | None


Chunk = TextDelta | ToolCall | Finished


class ChatModel(ABC):
    """A chat model. Options go to the constructor; nothing is read from the environment."""

    name: ClassVar[str]  # the provider's
    model: str  # the model's own, shown beside its answers

    @abstractmethod
    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: dict[str, Any] | None = None,
        timeout: float,
    ) -> Completion:
        """The whole answer as text, within `timeout` seconds in all, or a ModelError.

        With a JSON `schema` the answer is asked for as structured output where the endpoint can
        do that. It is a request, not a promise: the caller validates the text.
        """

    @abstractmethod
    def stream(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[dict[str, Any]] | None = None
    ) -> AsyncGenerator[Chunk]:
        """Text as it comes, then whole tool calls, then Finished; or a ModelError at any point.

        A stream that ends without Finished has raised. Whoever may stop early wraps it in
        `contextlib.aclosing`, which also ends the request at the endpoint. `tools` are OpenAI
        function specs: `{"type": "function", "function": {...}}`.
        """

    @abstractmethod
    async def forward(self, body: Mapping[str, Any], *, timeout: float) -> dict[str, Any]:
        """The endpoint's whole answer to this chat completion request, both as they are.

        `timeout`, in seconds, is for all of it. Raises ModelError.
        """

    @abstractmethod
    def forward_stream(
        self, body: Mapping[str, Any]
    ) -> AbstractAsyncContextManager[AsyncGenerator[dict[str, Any]]]:
        """The chunks that the endpoint answers this request with, both as they are.

        Entered when the endpoint has accepted the request, which may be long before the first
        chunk; leaving ends the request. Raises ModelError there and at any chunk.
        """

    @abstractmethod
    async def models(self) -> list[dict[str, Any]]:
        """The models that the endpoint lists, as it describes them, or a ModelError."""

    @abstractmethod
    async def check(self) -> None:
        """Return if the model's endpoint answers and lets us in, else raise a ModelError."""
