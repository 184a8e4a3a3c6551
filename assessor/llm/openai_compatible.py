"""Any endpoint with the OpenAI protocol: OpenAI, Ollama, vLLM, llama.cpp.

Only this file and `sdk_errors` use the SDK. Its errors are translated to `errors.ModelError` here.

A client's connections belong to the event loop that opened them. The web process has one loop for
its whole life and keeps its connections; a Celery task has one per `asyncio.run`. An instance
therefore lives as long as the process and remembers what its endpoint supports. It keeps one client
per open loop; `aclose` closes the running loop's client.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import cache
from typing import Any

import httpx2
import openai

from assessor.llm.base import ChatMessage, ChatModel, Chunk, Completion, TextDelta
from assessor.llm.errors import ModelBadAnswer, ModelError
from assessor.llm.sdk_errors import BROKE_OFF, refuses_tools, translated
from assessor.llm.wire import AnswerPart, ChunkPart, StreamedReply

OPENAI_URL = "https://api.openai.com/v1"
CONNECT_TIMEOUT = 10.0  # seconds: a running endpoint accepts at once, but we may be busy
CHECK_TIMEOUT = 3.0
# Each idle connection is checked at every request. With the SDK's limit of 100 and two hundred
# streams at once, that was a sixth of the streams' cost.
CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=20)


class OpenAICompatibleModel(ChatModel):
    """A model at `base_url` ("" means OpenAI), called with `api_key`.

    `idle_timeout`, in seconds, is the longest silence of a stream before ModelTimeout. This class
    does not retry: the pipeline retries assessments, a person retries a chat.
    """

    name = "openai_compatible"

    def __init__(self, *, base_url: str, api_key: str, model: str, idle_timeout: float) -> None:
        self.model = model
        self._base_url = base_url or OPENAI_URL
        # Ollama and llama.cpp need no key, but the SDK requires one (or looks for one itself).
        self._api_key = api_key or "none"
        self._idle_timeout = idle_timeout
        self._takes_schema = True
        self._takes_tools = True
        self._clients: dict[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = {}

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: dict[str, Any] | None = None,
        timeout: float,
    ) -> Completion:
        client = self._client()  # not on the model's time
        # The SDK's timeouts restart with each byte; this one covers the whole answer.
        with translated():
            async with asyncio.timeout(timeout):
                if schema is None or not self._takes_schema:
                    return await self._complete(client, messages, None)
                try:
                    return await self._complete(client, messages, schema)
                except (openai.BadRequestError, openai.UnprocessableEntityError):
                    # (FastAPI servers return 422.) The schema or the messages may be at fault. Only
                    # if the request succeeds without the schema is the schema known to be
                    # unsupported.
                    completion = await self._complete(client, messages, None)
                    self._takes_schema = False
                    return completion

    async def stream(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[dict[str, Any]] | None = None
    ) -> AsyncGenerator[Chunk]:
        request: dict[str, Any] = {
            "model": self.model,
            "messages": _as_params(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        opened = await self._open_with_tools(request, tools)
        reply = StreamedReply()
        async with opened, aclosing(self._chunks(opened)) as chunks:
            async for chunk in chunks:
                with translated():
                    part = ChunkPart.model_validate(chunk)
                if text := reply.add(part):
                    yield TextDelta(text)
        finished = reply.finished()
        for call in reply.tool_calls():
            yield call
        yield finished

    async def forward(self, body: Mapping[str, Any], *, timeout: float) -> dict[str, Any]:
        client = self._client()  # not on the model's time
        with translated():
            async with asyncio.timeout(timeout):
                return _as_object(await client.post("/chat/completions", cast_to=object, body=body))

    @asynccontextmanager
    async def forward_stream(
        self, body: Mapping[str, Any]
    ) -> AsyncGenerator[AsyncGenerator[dict[str, Any]]]:
        opened = await self._open_stream({**body, "stream": True})
        async with opened, aclosing(self._chunks(opened)) as chunks:
            yield chunks

    async def models(self) -> list[dict[str, Any]]:
        client = self._client()
        with translated():
            async with asyncio.timeout(CHECK_TIMEOUT):
                listed = _as_object(await client.get("/models", cast_to=object))
        return [model for model in listed.get("data") or [] if isinstance(model, dict)]

    async def check(self) -> None:
        with translated():
            # The SDK loads modules here. On a busy machine that takes seconds, which must not count
            # as the endpoint's time.
            ask = self._client().models.with_raw_response.list
            try:
                async with asyncio.timeout(CHECK_TIMEOUT):
                    await ask()
            except openai.APIStatusError as error:
                # Any other answer, such as 404 for an endpoint that lists no models, shows that it
                # is running.
                if error.status_code in {401, 403} or error.status_code >= 500:
                    raise

    async def aclose(self) -> None:
        """Close the running loop's connections. The next call opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _complete(
        self,
        client: openai.AsyncOpenAI,
        messages: Sequence[ChatMessage],
        schema: dict[str, Any] | None,
    ) -> Completion:
        request: dict[str, Any] = {"model": self.model, "messages": _as_params(messages)}
        if schema is not None:
            named = {"name": "answer", "schema": schema, "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": named}
        answer = AnswerPart.model_validate(
            await client.post("/chat/completions", cast_to=object, body=request)
        )
        if not answer.choices:
            raise ModelBadAnswer("no choices")
        message = answer.choices[0].message
        if message.content is None:
            raise ModelBadAnswer(message.refusal or "no text")
        return Completion(
            text=message.content,
            model=answer.model or self.model,
            usage=answer.usage,
        )

    async def _open_with_tools(
        self, request: Mapping[str, Any], tools: Sequence[dict[str, Any]] | None
    ) -> openai.AsyncStream[object]:
        if not tools or not self._takes_tools:
            return await self._open_stream(request)
        try:
            return await self._open_stream({**request, "tools": tools})
        except ModelError as error:
            if not refuses_tools(error):
                raise
            # As for the schema: remembered only if the request succeeds without tools.
            events = await self._open_stream(request)
            self._takes_tools = False
            return events

    async def _open_stream(self, request: Mapping[str, Any]) -> openai.AsyncStream[object]:
        client = self._client()  # not on the model's time
        with translated():
            async with asyncio.timeout(self._idle_timeout):
                try:
                    return await _post(client, request)
                except openai.APIConnectionError as error:
                    if not isinstance(error.__cause__, BROKE_OFF):
                        raise
                    # Most likely the endpoint was just closing a kept-open connection.
                    return await _post(client, request)

    async def _chunks(self, opened: openai.AsyncStream[object]) -> AsyncGenerator[dict[str, Any]]:
        """Yield the endpoint's chunks.

        Raises ModelTimeout after `idle_timeout` seconds of silence.
        """
        try:
            while True:
                with translated():
                    async with asyncio.timeout(self._idle_timeout):
                        chunk = await anext(opened)
                yield _as_object(chunk)
        except StopAsyncIteration:
            return

    def _client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            # A weak dictionary does not work: a client's connections reference their loop.
            for other in [other for other in self._clients if other.is_closed()]:
                del self._clients[other]
            client = self._clients[loop] = self._new_client()
        return client

    def _new_client(self) -> openai.AsyncOpenAI:
        timeout = httpx2.Timeout(None, connect=CONNECT_TIMEOUT)
        return openai.AsyncOpenAI(
            base_url=self._base_url,
            api_key=self._api_key,
            max_retries=0,
            timeout=timeout,
            http_client=openai.DefaultAsyncHttpx2Client(
                timeout=timeout, verify=_ssl_context(), limits=CONNECTIONS
            ),
        )


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


@cache
def _ssl_context() -> ssl.SSLContext:
    # Loading the certificates takes 35 of the 36 ms of creating a client, and each task needs a
    # client.
    return httpx2.create_ssl_context()


def _as_object(answer: object) -> dict[str, Any]:
    """Return the JSON object that the endpoint sent; raises ModelBadAnswer for anything else."""
    if not isinstance(answer, dict):
        raise ModelBadAnswer(f"no JSON object but {str(answer)[:60]!r}")
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
