"""A model that counts its calls and their tokens."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from time import perf_counter
from typing import Any

from pydantic import BaseModel

from assessor.llm.base import (
    MOST_TOKENS,
    ChatMessage,
    ChatModel,
    Chunk,
    Completion,
    Finished,
    Usage,
)
from assessor.llm.errors import ModelError
from assessor.llm.wire import UsageOrNone
from memory.model_connections.usage import ModelCall, UsageMeter


class MeteredModel(ChatModel):
    """A model whose calls are added to a meter. The caller stores the meter's calls."""

    name = "metered"

    def __init__(self, model: ChatModel, meter: UsageMeter) -> None:
        self.model = model.model
        self._model = model
        self._meter = meter

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: dict[str, Any] | None = None,
        max_tokens: int = MOST_TOKENS,
        timeout: float,
    ) -> Completion:
        started = perf_counter()
        try:
            answer = await self._model.complete(
                messages, schema=schema, max_tokens=max_tokens, timeout=timeout
            )
        except ModelError:
            self._add(None, started, failed=True)
            raise
        self._add(answer.usage, started)
        return answer

    async def stream(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[dict[str, Any]] | None = None
    ) -> AsyncGenerator[Chunk]:
        usage, failed, started = None, False, perf_counter()
        try:
            async with aclosing(self._model.stream(messages, tools=tools)) as chunks:
                async for chunk in chunks:
                    usage = chunk.usage if isinstance(chunk, Finished) else usage
                    yield chunk
        except ModelError:
            failed = True
            raise
        finally:  # also when the reader stops early
            self._add(usage, started, failed=failed)

    async def forward(self, body: Mapping[str, Any], *, timeout: float) -> dict[str, Any]:
        started = perf_counter()
        try:
            answer = await self._model.forward(body, timeout=timeout)
        except ModelError:
            self._add(None, started, failed=True)
            raise
        self._add(_usage_in(answer), started)
        return answer

    @asynccontextmanager
    async def forward_stream(
        self, body: Mapping[str, Any]
    ) -> AsyncGenerator[AsyncGenerator[dict[str, Any]]]:
        counted: list[Usage] = []
        failed, started = False, perf_counter()
        try:
            async with self._model.forward_stream(body) as chunks:
                yield _watched(chunks, counted)
        except ModelError:
            failed = True
            raise
        finally:
            self._add(counted[-1] if counted else None, started, failed=failed)

    async def models(self) -> list[dict[str, Any]]:
        return await self._model.models()

    async def check(self) -> None:
        await self._model.check()

    def _add(self, usage: Usage | None, started: float, *, failed: bool = False) -> None:
        prompt, completion = (
            (usage.prompt_tokens, usage.completion_tokens) if usage else (None, None)
        )
        seconds = perf_counter() - started
        self._meter.calls.append(ModelCall(prompt, completion, failed, seconds))


class _Counted(BaseModel):
    """An answer or a chunk; only its usage is read."""

    usage: UsageOrNone = None


def _usage_in(answer: Mapping[str, Any]) -> Usage | None:
    sent = answer.get("usage")  # in a stream, only the last chunk has the usage
    return _Counted.model_validate({"usage": sent}).usage if sent else None


async def _watched(
    chunks: AsyncGenerator[dict[str, Any]], counted: list[Usage]
) -> AsyncGenerator[dict[str, Any]]:
    """Yield the chunks, and add their usage to `counted`."""
    async with aclosing(chunks):
        async for chunk in chunks:
            if usage := _usage_in(chunk):
                counted.append(usage)
            yield chunk
