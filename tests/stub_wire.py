"""Sends the stub model's answers: each scripted step of `tests.stub_model`."""

import asyncio
import json
import re
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from tests.stub_dialects import THOUGHT, EndpointDialect
from tests.stub_dialects import dialect as dialect_named
from tests.stub_replies import reply_to

Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]

KEPT_REQUESTS = 10_000
PIECE = 7  # characters of a call's arguments in a chunk
NONSENSE = "Colourless green ideas sleep furiously {"
# Tokens of a real model are short; text without spaces (Chinese) is cut as well.
TOKEN = re.compile(r"\s*\S{1,12}|\s+$")
GARBAGE_EVENTS = {"garbage": "data: ?\n\n", "half": 'data: {"choices": [{"del\n\n'}


@dataclass(frozen=True)
class RecordedRequest:
    path: str
    authorization: str
    body: dict[str, Any]


@dataclass
class Control:
    """The script of the stub, and the requests that it saw."""

    script: deque[str] = field(default_factory=deque)
    models_script: deque[str] = field(default_factory=deque)
    embeddings_script: deque[str] = field(default_factory=deque)
    delay_ms: float = 0.0
    takes_schema: bool = True
    takes_tools: bool = True
    dialect: EndpointDialect | None = None
    requests: deque[RecordedRequest] = field(default_factory=lambda: deque(maxlen=KEPT_REQUESTS))
    embedding_requests: deque[RecordedRequest] = field(
        default_factory=lambda: deque(maxlen=KEPT_REQUESTS)
    )
    # What one request for vectors may hold.
    most_texts: int = 2048
    most_characters: int = 1_000_000
    active_replies: int = 0
    # Of those, the ones that have said all they will say, and do not end.
    silent: set[asyncio.Task[Any]] = field(default_factory=set)
    released: bool = False  # whether replies that hold may go on

    @property
    def silent_replies(self) -> int:
        return len(self.silent)

    def reset(self) -> None:
        self.script.clear()
        self.models_script.clear()
        self.embeddings_script.clear()
        self.requests.clear()
        self.embedding_requests.clear()
        self.delay_ms, self.takes_schema, self.takes_tools = 0.0, True, True
        self.dialect = None
        self.most_texts, self.most_characters = 2048, 1_000_000
        self.released = False

    def update(self, told: dict[str, Any]) -> None:
        if told.get("reset"):
            self.reset()
        self.script.extend(told.get("script", []))
        self.models_script.extend(told.get("models_script", []))
        self.embeddings_script.extend(told.get("embeddings_script", []))
        self.delay_ms = float(told.get("delay_ms", self.delay_ms))
        self.takes_schema = bool(told.get("takes_schema", self.takes_schema))
        self.takes_tools = bool(told.get("takes_tools", self.takes_tools))
        if "dialect" in told:
            self.dialect = dialect_named(told["dialect"])


class Reply:
    """One answer on its way: knows its scripted step and how to put it on the wire."""

    def __init__(self, control: Control, step: str, send: Send, receive: Receive) -> None:
        self.control = control
        self.step, _, self.argument = step.partition(":")
        self.send, self.receive = send, receive
        self.dialect = control.dialect
        self.manner = control.dialect.answers if control.dialect else {}

    async def whole(self, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
        head = [(b"content-type", b"application/json"), *headers]
        await self.start(status, [*head, (b"content-length", str(len(body)).encode())])
        await self.send({"type": "http.response.body", "body": body})

    async def start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        await self.send({"type": "http.response.start", "status": status, "headers": headers})

    async def part(self, body: str, *, more: bool = True) -> None:
        event = {"type": "http.response.body", "body": body.encode(), "more_body": more}
        await self.send(event)

    async def silence(self) -> None:
        """Send nothing more, until the client gives up or the test has ended."""
        assert (task := asyncio.current_task())
        self.control.silent.add(task)
        try:
            while (await self.receive())["type"] != "http.disconnect":
                pass
        finally:
            self.control.silent.remove(task)

    async def hold(self) -> None:
        """Send nothing more, until the test continues or the client gives up."""
        given_up = asyncio.create_task(self.silence())
        while not (self.control.released or given_up.done()):
            await asyncio.sleep(0.005)
        given_up.cancel()

    async def refuse(self, status: int, words: str = "") -> None:
        said = words or f"scripted {status}"
        body = {"error": {"message": said, "type": "scripted", "code": status}}
        pause = [(b"retry-after", self.argument.encode())] if self.argument and not words else []
        await self.whole(status, json.dumps(body).encode(), *pause)

    def is_too_much(self, request: dict[str, Any]) -> bool:
        """Return whether the request has an option that the stub must refuse."""
        schema, tools = request.get("response_format"), request.get("tools")
        return bool(
            (schema and not self.control.takes_schema) or (tools and not self.control.takes_tools)
        )

    async def answer(self, request: dict[str, Any]) -> None:
        if self.step.isdigit():
            await self.refuse(int(self.step))
        elif self.step == "refused":
            status, _, words = self.argument.partition(" ")
            await self.refuse(int(status), words)
        elif self.is_too_much(request):
            await self.refuse(400)
        elif self.dialect and (refusal := self.dialect.refusal(request)):
            await self.whole(refusal[0], json.dumps(refusal[1]).encode())
        elif self.step == "timeout":
            await self.silence()
        elif request.get("stream"):
            await self.stream(request)
        else:
            await self.complete(request)

    def text(self, request: dict[str, Any]) -> str:
        texts = {"reply": self.argument, "nonsense": NONSENSE, "empty": "", "tool": ""}
        texts["thought"] = f"<think>{THOUGHT}"
        if self.step in texts:
            return texts[self.step]
        if self.step == "tools":
            return str(json.loads(self.argument).get("text", ""))
        text = reply_to(request)
        if self.step == "fenced" or (self.manner.get("ignores_format") and text.startswith("{")):
            text = f"```json\n{text}\n```"
        return f"<think>{THOUGHT}</think>\n\n{text}" if self.thinks("tag") else text

    def thinks(self, where: str) -> bool:
        return bool(self.manner.get("thoughts") == where)

    def message(self, text: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
        """A whole answer's message, in the endpoint's manner."""
        content = [{"type": "text", "text": text}] if self.manner.get("pieces") else text
        thoughts = {"reasoning_content": THOUGHT} if self.thinks("field") else {}
        said = {"role": "assistant", "content": None if calls else content, **thoughts}
        return {**said, "tool_calls": calls}

    def tool_calls(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """The scripted calls, or the one that the request forces. Arguments are text, so that a
        script can have bad ones."""
        calls: list[tuple[str, str]] = []
        if self.step == "tool":
            name, _, arguments = self.argument.partition(":")
            calls = [(name, arguments or "{}")]
        elif self.step == "tools":
            calls = json.loads(self.argument)["calls"]
        elif isinstance(forced := request.get("tool_choice"), dict):
            calls = [(forced["function"]["name"], self.text(request))]
        return [
            {
                "id": f"call_{name}" + (f"_{position}" if position else ""),
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for position, (name, arguments) in enumerate(calls)
        ]

    async def complete(self, request: dict[str, Any]) -> None:
        calls, text = self.tool_calls(request), self.text(request)
        message = self.message(text, calls)
        choice = {"index": 0, "message": message, "finish_reason": self.ended(calls)}
        answer = _envelope(request, "chat.completion") | {"choices": [choice]}
        if not self.manner.get("no_usage"):
            answer["usage"] = _usage(request, len(TOKEN.findall(text)))
        body = json.dumps(answer)
        if self.step == "garbage":
            body = "<html>not a model</html>"
        elif self.step in {"half", "stall", "close", "cut"}:
            body = body[: len(body) // 2]
        if self.step in {"stall", "close"}:
            await self.start(200, [(b"content-type", b"application/json")])
            await self.part(body)
            if self.step == "stall":
                await self.silence()
        else:
            await self.whole(200, body.encode())

    def ended(self, calls: list[dict[str, Any]]) -> str:
        return "length" if self.step == "thought" else _finish_reason(calls)

    async def stream(self, request: dict[str, Any]) -> None:
        await self.start(200, [(b"content-type", b"text/event-stream")])
        await self.part(GARBAGE_EVENTS.get(self.step, ""))
        if self.thinks("field"):
            thought = _chunk(request, {"reasoning_content": THOUGHT}, None)
            await self.part(f"data: {json.dumps(thought)}\n\n")
        tokens = TOKEN.findall(self.text(request))
        counted = self.step in {"stall", "close", "cut", "error", "hold", "length"}
        first = int(self.argument or 0) if counted else len(tokens)
        await self.tokens(request, tokens[:first])
        if self.step == "stall":
            await self.silence()
        elif self.step == "close":
            await self.part('data: {"choices": [{"delta": {"cont')  # uvicorn drops the connection
        elif self.step == "cut":
            await self.part("", more=False)
        elif self.step == "error":
            await self.part('data: {"error": {"message": "scripted error"}}\n\n', more=False)
        else:
            if self.step == "hold":
                await self.hold()
                await self.tokens(request, tokens[first:])
            await self.finish(request, len(tokens))

    async def tokens(self, request: dict[str, Any], tokens: list[str]) -> None:
        # Benchmarks stream 200 of these at once: only the token is encoded per event.
        event = json.dumps(_chunk(request, {"content": "\0"}, None))
        before, after = event.split(json.dumps("\0"))
        for token in tokens:
            if self.control.delay_ms:
                await asyncio.sleep(self.control.delay_ms / 1000)
            await self.part(f"data: {before}{json.dumps(token)}{after}\n\n")

    async def finish(self, request: dict[str, Any], tokens: int) -> None:
        calls = self.tool_calls(request)
        deltas = [delta for index, call in enumerate(calls) for delta in _split_call(call, index)]
        events = [_chunk(request, {"tool_calls": [delta]}, None) for delta in deltas]
        reason = "length" if self.step == "length" else _finish_reason(calls)
        events.append(_chunk(request, {}, reason))
        counts = not self.manner.get("no_usage")
        if counts and (request.get("stream_options") or {}).get("include_usage"):
            usage = {"choices": [], "usage": _usage(request, tokens)}
            events.append(_envelope(request, "chat.completion.chunk") | usage)
        lines = [f"data: {json.dumps(event)}\n\n" for event in events]
        await self.part("".join(lines) + "data: [DONE]\n\n", more=False)


def _split_call(call: dict[str, Any], index: int) -> list[dict[str, Any]]:
    """A call as models stream it: the name first, the arguments in pieces."""
    arguments = call["function"]["arguments"]
    head = {**call, "index": index, "function": {"name": call["function"]["name"], "arguments": ""}}
    pieces = [arguments[at : at + PIECE] for at in range(0, len(arguments), PIECE)]
    return [head, *({"index": index, "function": {"arguments": piece}} for piece in pieces)]


def _finish_reason(calls: list[dict[str, Any]]) -> str:
    return "tool_calls" if calls else "stop"


def _envelope(request: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "stub-1", "object": kind, "created": 0, "model": request.get("model", "stub")}


def _chunk(request: dict[str, Any], delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return _envelope(request, "chat.completion.chunk") | {"choices": [choice]}


def _usage(request: dict[str, Any], completion_tokens: int) -> dict[str, int]:
    contents = (str(message.get("content") or "") for message in request.get("messages", []))
    prompt_tokens = sum(len(content.split()) for content in contents)
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }
