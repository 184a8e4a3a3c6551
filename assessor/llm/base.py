"""The interface of every chat model, independent of its provider.

The assessor asks for one whole answer (`complete`), the chat for a stream (`stream`). The
OpenAI-compatible API forwards requests unchanged (`forward`, `forward_stream`, `models`). The
health page checks the endpoint (`check`). All are async because the chat's views are; a Celery task
runs its one call in `asyncio.run`.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

Role = Literal["system", "user", "assistant", "tool"]
Count = Annotated[int, Field(ge=0, lt=1 << 30)]

MOST_TOKENS = 1000
"""Tokens of a judgement: without a limit, a small model may write for ever."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function call requested by the model; `arguments` is the JSON text as the model wrote it.

    The text is sent back unchanged. The tool, not the transport, answers invalid JSON with an
    error.
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
    """The tokens of a prompt and its completion, as counted by the endpoint."""

    prompt_tokens: Count
    completion_tokens: Count


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer; `model` is the name the endpoint gave, `usage` None if it did not count."""

    text: str
    model: str
    usage: Usage | None
    # At the prices of the model's connection; None if they are unknown.
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer's text in a stream."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The last chunk of each stream that did not raise."""

    finish_reason: str
    usage: Usage | None


Chunk = TextDelta | ToolCall | Finished


class ChatModel(ABC):
    """A chat model. Options go to the constructor; nothing is read from the environment."""

    name: ClassVar[str]  # the provider's name
    model: str  # the model's own name, shown beside its answers

    @abstractmethod
    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: dict[str, Any] | None = None,
        max_tokens: int = MOST_TOKENS,
        timeout: float,
    ) -> Completion:
        """Return the whole answer as text within `timeout` seconds; raises ModelError. At the
        time-out the request's connection is closed, so that the endpoint stops.

        A JSON `schema` requests structured output if the endpoint supports it. The endpoint may
        ignore it, so the caller validates the text.
        """

    @abstractmethod
    def stream(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[dict[str, Any]] | None = None
    ) -> AsyncGenerator[Chunk]:
        """Yield text as it comes, then whole tool calls, then Finished.

        Raises ModelError at any point. A stream without Finished has raised. A caller that may stop
        early wraps the stream in `contextlib.aclosing`, which also ends the request at the
        endpoint. `tools` are OpenAI function specs: `{"type": "function", "function": {...}}`.
        """

    @abstractmethod
    async def forward(self, body: Mapping[str, Any], *, timeout: float) -> dict[str, Any]:
        """Send this chat completion request unchanged and return the endpoint's whole answer
        unchanged.

        `timeout`, in seconds, covers the whole call. Raises ModelError.
        """

    @abstractmethod
    def forward_stream(
        self, body: Mapping[str, Any]
    ) -> AbstractAsyncContextManager[AsyncGenerator[dict[str, Any]]]:
        """Send this request unchanged and yield the endpoint's chunks unchanged.

        The context is entered once the endpoint accepts the request, which may be long before the
        first chunk. Leaving the context ends the request. Raises ModelError on entering and at any
        chunk.
        """

    @abstractmethod
    async def models(self) -> list[dict[str, Any]]:
        """Return the models that the endpoint lists, as it describes them; raises ModelError."""

    @abstractmethod
    async def check(self) -> None:
        """Check that the model's endpoint answers and accepts the key. Raises ModelError if not."""
