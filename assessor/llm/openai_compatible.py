"""Any endpoint with the OpenAI protocol: OpenAI, Ollama, vLLM, llama.cpp.

Only this file, `clients`, `events` and `sdk_errors` use the SDK. Its errors are translated to
`errors.ModelError` here. An instance lives as long as the process and remembers what its
endpoint supports.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import openai

from assessor.llm.base import (
    MOST_TOKENS,
    ChatMessage,
    ChatModel,
    Chunk,
    Completion,
    TextDelta,
    Usage,
)
from assessor.llm.clients import Clients
from assessor.llm.dialects import ANSWER, Dialect, Wish
from assessor.llm.errors import ModelBadAnswer
from assessor.llm.events import events_of
from assessor.llm.portable import portable
from assessor.llm.sdk_errors import BROKE_OFF, translated
from assessor.llm.thoughts import ThoughtFilter
from assessor.llm.wire import AnswerPart, ChunkPart, StreamedReply
from memory.model_connections.choosing import Prices

T = TypeVar("T")

CHECK_TIMEOUT = 3.0
# A local server may first have to load the model or finish another request. So the first chunk may
# take this many times as long as the longest silence between two chunks.
START_PATIENCE = 4
LONGEST_STREAM = 3600.0  # seconds, however steadily the chunks come


class OpenAICompatibleModel(ChatModel):
    """A model at `base_url` ("" means OpenAI), called with `api_key`.

    `idle_timeout`, in seconds, is the longest silence of a stream before ModelTimeout; the first
    chunk may take START_PATIENCE times as long. `public_only` refuses private addresses at each
    request. This class does not retry: the pipeline retries assessments, a person retries a chat.
    """

    name = "openai_compatible"

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        model: str,
        idle_timeout: float,
        prices: Prices | None = None,
        public_only: bool = False,
    ) -> None:
        self.model = model
        self._idle_timeout = idle_timeout
        self._prices = prices or Prices()
        self._dialect = Dialect()
        self._clients = Clients(base_url, api_key, public_only=public_only)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: dict[str, Any] | None = None,
        max_tokens: int = MOST_TOKENS,
        timeout: float,
    ) -> Completion:
        client = self._clients.get()  # not on the model's time
        wish = Wish(schema=portable(schema) if schema else None, max_tokens=max_tokens)

        async def ask(dialect: Dialect) -> AnswerPart:
            body = {"model": self.model, **dialect.request(_as_params(messages), wish)}
            answer = await _twice(
                lambda: client.post("/chat/completions", cast_to=object, body=body)
            )
            return AnswerPart.model_validate(answer)

        # The SDK's timeouts restart with each byte; this one covers the whole answer.
        with translated():
            async with asyncio.timeout(timeout):
                answer = await self._in_its_dialect(ask, wish)
                if answer.only_thought() and not self._dialect.thinks:
                    self._dialect = replace(self._dialect, thinks=True)
                    answer = await self._in_its_dialect(ask, wish)
        return self._completion(answer)

    async def stream(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[dict[str, Any]] | None = None
    ) -> AsyncGenerator[Chunk]:
        wish = Wish(tools=tools, stream=True)

        async def open_(dialect: Dialect) -> openai.AsyncStream[object]:
            return await self._open_stream(
                {"model": self.model, **dialect.request(_as_params(messages), wish)}
            )

        with translated():
            opened = await self._in_its_dialect(open_, wish)
        reply, thoughts = StreamedReply(), ThoughtFilter()
        with translated():
            async with opened, aclosing(self._chunks(opened)) as chunks:
                async for chunk in chunks:
                    if text := thoughts.add(reply.add(ChunkPart.model_validate(chunk))):
                        yield TextDelta(text)
        if text := thoughts.rest():
            yield TextDelta(text)
        finished = reply.finished()
        for call in reply.tool_calls():
            yield call
        yield finished

    async def forward(self, body: Mapping[str, Any], *, timeout: float) -> dict[str, Any]:
        client = self._clients.get()  # not on the model's time
        with translated():
            async with asyncio.timeout(timeout):
                return _as_object(await client.post("/chat/completions", cast_to=object, body=body))

    @asynccontextmanager
    async def forward_stream(
        self, body: Mapping[str, Any]
    ) -> AsyncGenerator[AsyncGenerator[dict[str, Any]]]:
        with translated():
            opened = await self._open_stream({**body, "stream": True})
        async with opened, aclosing(self._chunks(opened)) as chunks:
            yield chunks

    async def models(self) -> list[dict[str, Any]]:
        client = self._clients.get()
        with translated():
            async with asyncio.timeout(CHECK_TIMEOUT):
                listed = _as_object(await client.get("/models", cast_to=object))
        return [model for model in listed.get("data") or [] if isinstance(model, dict)]

    async def check(self) -> None:
        with translated():
            # The SDK loads modules here. On a busy machine this takes seconds, which must not count
            # as the endpoint's time.
            ask = self._clients.get().models.with_raw_response.list
            try:
                async with asyncio.timeout(CHECK_TIMEOUT):
                    await ask()
            except openai.APIStatusError as error:
                # Any other answer, such as 404 for an endpoint that lists no models, shows that it
                # is running.
                if error.status_code in {401, 403} or error.status_code >= 500:
                    raise

    @property
    def dialect(self) -> Dialect:
        """The endpoint's dialect, as far as it is known."""
        return self._dialect

    async def aclose(self) -> None:
        """Close the running loop's connections. The next call opens new ones."""
        await self._clients.close()

    async def _in_its_dialect(self, ask: Callable[[Dialect], Awaitable[T]], wish: Wish) -> T:
        """Send the request in the endpoint's dialect; after each refusal of a part, send it without
        that part.
        """
        dialect = self._dialect
        while True:
            try:
                answer = await ask(dialect)
            except openai.APIStatusError as error:
                simpler = dialect.simpler(error, wish)
                if simpler is None:
                    raise
                dialect = simpler
            else:
                # Remember the dialect only now: the refusals may have had another cause.
                self._dialect = dialect
                return answer

    def _completion(self, answer: AnswerPart) -> Completion:
        """Return the answer's text; raises ModelBadAnswer if it has none."""
        if not answer.choices:
            raise ModelBadAnswer("no choices")
        message = answer.choices[0].message
        if (text := message.text(tool=ANSWER)) is None:
            raise ModelBadAnswer("a refusal" if message.refusal else "no text")
        usage, model = answer.usage, answer.model or self.model
        return Completion(text=text, model=model, usage=usage, cost_usd=self._cost_usd(usage))

    def _cost_usd(self, usage: Usage | None) -> float | None:
        """Return the cost at our prices; None if prices or usage are unknown."""
        prompt, completion = self._prices
        if usage is None or prompt is None or completion is None:
            return None
        return (usage.prompt_tokens * prompt + usage.completion_tokens * completion) / 1_000_000

    async def _open_stream(self, request: Mapping[str, Any]) -> openai.AsyncStream[object]:
        """Return the stream once the endpoint accepts the request. Raises the SDK's errors."""
        client = self._clients.get()  # not on the model's time
        async with asyncio.timeout(START_PATIENCE * self._idle_timeout):
            return await _twice(lambda: _post(client, request))

    async def _chunks(self, opened: openai.AsyncStream[object]) -> AsyncGenerator[dict[str, Any]]:
        """Yield the endpoint's chunks.

        Raises ModelTimeout after `idle_timeout` seconds of silence, START_PATIENCE times as many
        before the first chunk, and after LONGEST_STREAM.
        """
        clock = asyncio.get_running_loop().time
        patience, end = START_PATIENCE * self._idle_timeout, clock() + LONGEST_STREAM
        with translated():
            async with aclosing(events_of(opened.response)) as events:
                while True:
                    try:
                        async with asyncio.timeout_at(min(clock() + patience, end)):
                            chunk = await anext(events)
                    except StopAsyncIteration:
                        return
                    patience = self._idle_timeout
                    yield _as_object(chunk)


async def _twice(ask: Callable[[], Awaitable[T]]) -> T:
    """Send a request, and again if its connection breaks: most likely the endpoint was just closing
    it. llama.cpp's server does so after each answer that took long.
    """
    try:
        return await ask()
    except openai.APIConnectionError as error:
        if not isinstance(error.__cause__, BROKE_OFF):
            raise
    return await ask()


async def _post(
    client: openai.AsyncOpenAI, request: Mapping[str, Any]
) -> openai.AsyncStream[object]:
    # Not `chat.completions.create`: building the SDK's object for each token takes 0.27 ms of CPU,
    # and one process streams to many people at once.
    return await client.post(
        "/chat/completions",
        cast_to=object,
        body=request,
        stream=True,
        stream_cls=openai.AsyncStream[object],
    )


def _as_object(answer: object) -> dict[str, Any]:
    """Return the JSON object that the endpoint sent; raises ModelBadAnswer for anything else."""
    if not isinstance(answer, dict):
        raise ModelBadAnswer("not a JSON object")
    return answer


def _as_params(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    return [_as_param(message) for message in messages]


def _as_param(message: ChatMessage) -> dict[str, Any]:
    param: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        param["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        param["tool_call_id"] = message.tool_call_id
    return param
