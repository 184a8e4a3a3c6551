"""Backends that answer a request: the configured model, or the built-in responder."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import replace
from uuid import uuid4

from django.utils import timezone

from accounts.models import Space
from assessor.llm import ChatModel, TextDelta
from assessor.llm.errors import ModelBadRequest, ModelNotFound
from chat.responders import Turn, configured_model
from chat.responders.builtin import BuiltinResponder
from endpoints.completions.schemas import Json, MemoryHeaders
from foundation.database.connections import in_last_thread
from foundation.errors import FieldError, InvalidArguments
from memory.model_connections.choosing import ModelConfiguration
from memory.model_connections.observations import replying
from memory.model_connections.usage import UsageMeter

# Names for the configured model.
DEFAULT_NAMES = {"", "ebb", "default"}
WHOLE_ANSWER_TIMEOUT = 600.0  # seconds; as long as OpenAI's SDKs wait


class Backend(ABC):
    """Answers requests. `model` is used if the request names none."""

    model: str

    @abstractmethod
    def answer(
        self, request: Json, turn: Turn
    ) -> AbstractAsyncContextManager[AsyncGenerator[Json]]:
        """Yield the answer's chunks if the request wants a stream, else the one whole answer.

        The context is entered once the request is accepted; leaving it ends the request. Raises
        ModelError on entering and at any part.
        """

    @abstractmethod
    async def models(self) -> list[Json]:
        """Return the available models, the default first; raises ModelError."""

    @abstractmethod
    def accept(self, options: Mapping[str, object], client: MemoryHeaders) -> None:
        """Raise InvalidArguments if this backend would ignore one of these options."""

    def chosen(self, name: str | None) -> str:
        """Return the model that answers a request with this name."""
        return self.model if (name or "").lower() in DEFAULT_NAMES else name or self.model


class ConfiguredModel(Backend):
    """The configured model, and the other models of its endpoint by name."""

    def __init__(
        self, model: ChatModel, meter: UsageMeter, configuration: ModelConfiguration
    ) -> None:
        self._endpoint = model
        self._meter = meter
        self._configuration = configuration
        self.model = model.model

    def accept(self, options: Mapping[str, object], client: MemoryHeaders) -> None:
        """Accept every option: the endpoint itself refuses options it does not support."""

    @asynccontextmanager
    async def answer(self, request: Json, turn: Turn) -> AsyncGenerator[AsyncGenerator[Json]]:
        body = {**request, "model": self.chosen(request.get("model"))}
        self._meter.source = replace(self._meter.source, model=body["model"])
        try:
            async with replying(self._configuration):
                if body.get("stream"):
                    async with self._endpoint.forward_stream(body) as chunks:
                        yield chunks
                else:
                    yield _alone(await self._endpoint.forward(body, timeout=WHOLE_ANSWER_TIMEOUT))
        finally:  # also if the client disconnects now
            await asyncio.shield(in_last_thread(self._meter.store, timezone.now()))

    async def models(self) -> list[Json]:
        try:
            listed = await self._endpoint.models()
        except (ModelNotFound, ModelBadRequest):
            listed = []  # not every endpoint lists its models
        unknown = {"id": self.model, "object": "model", "created": 0, "owned_by": "unknown"}
        own = next((model for model in listed if model.get("id") == self.model), unknown)
        return [own, *(model for model in listed if model is not own)]


class BuiltIn(Backend):
    """The built-in responder. It answers from memory, ignores the model's name and counts no
    tokens.
    """

    model = BuiltinResponder.label

    def accept(self, options: Mapping[str, object], client: MemoryHeaders) -> None:
        """Refuse options that only a language model can follow.

        Open WebUI offers its own tools in every chat, and answers without them are fine.
        """
        reason = "needs a language model, and none is connected. Connect one in Settings → Models"
        wrong = [name for name, given in options.items() if given and given != _PLAIN]
        if client.x_openwebui_chat_id is not None:
            wrong = [name for name in wrong if name != "tools"]
        if wrong:
            raise InvalidArguments(*(FieldError(name, reason) for name in wrong))

    def answer(
        self, request: Json, turn: Turn
    ) -> AbstractAsyncContextManager[AsyncGenerator[Json]]:
        return aclosing(self._parts(request, turn))

    async def _parts(self, request: Json, turn: Turn) -> AsyncGenerator[Json]:
        envelope = {
            "id": f"chatcmpl-{uuid4().hex}",
            "created": int(turn.now.timestamp()),
            "model": self.model,
        }
        if not request.get("stream"):
            message = {"role": "assistant", "content": BuiltinResponder().answer(turn)}
            choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
            yield {**envelope, "object": "chat.completion", "choices": [choice], "usage": _USAGE}
            return
        envelope["object"] = "chat.completion.chunk"
        yield {**envelope, "choices": [_delta({"role": "assistant", "content": ""})]}
        async with aclosing(BuiltinResponder().stream(turn)) as chunks:
            async for chunk in chunks:
                if isinstance(chunk, TextDelta):
                    yield {**envelope, "choices": [_delta({"content": chunk.text})]}
        yield {**envelope, "choices": [_delta({}, "stop")]}
        if (request.get("stream_options") or {}).get("include_usage"):
            yield {**envelope, "choices": [], "usage": _USAGE}

    async def models(self) -> list[Json]:
        return [{"id": self.model, "object": "model", "created": 0, "owned_by": "ebb"}]


_PLAIN = {"type": "text"}
_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


async def _alone(answer: Json) -> AsyncGenerator[Json]:
    yield answer


def _delta(delta: Json, finish_reason: str | None = None) -> Json:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def get_backend(space: Space) -> Backend:
    """Return the space's chat model, or the built-in responder if none is chosen."""
    configured = configured_model(space)
    return BuiltIn() if configured is None else ConfiguredModel(*configured)
