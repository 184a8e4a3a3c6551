"""Backends that answer a request: the configured model, or the built-in responder."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from uuid import uuid4

from assessor.llm import ChatModel, TextDelta
from assessor.llm.errors import ModelBadRequest, ModelNotFound
from chat.completions.schemas import Json
from chat.responders import Turn, configured_model
from chat.responders.builtin import BuiltinResponder

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

    def chosen(self, name: str | None) -> str:
        """Return the model that answers a request with this name."""
        return self.model if (name or "").lower() in DEFAULT_NAMES else name or self.model


class ConfiguredModel(Backend):
    """The configured model, and the other models of its endpoint by name."""

    def __init__(self, model: ChatModel) -> None:
        self._endpoint = model
        self.model = model.model

    @asynccontextmanager
    async def answer(self, request: Json, turn: Turn) -> AsyncGenerator[AsyncGenerator[Json]]:
        body = {**request, "model": self.chosen(request.get("model"))}
        if body.get("stream"):
            async with self._endpoint.forward_stream(body) as chunks:
                yield chunks
        else:
            yield _alone(await self._endpoint.forward(body, timeout=WHOLE_ANSWER_TIMEOUT))

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


_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


async def _alone(answer: Json) -> AsyncGenerator[Json]:
    yield answer


def _delta(delta: Json, finish_reason: str | None = None) -> Json:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def get_backend() -> Backend:
    """Return the configured model, or the built-in responder if none is configured."""
    model = configured_model()
    return BuiltIn() if model is None else ConfiguredModel(model)
