"""A chat model over real HTTP: the OpenAI protocol, spoken by a script.

The tests and benchmarks point the real SDK at it. What it answers proves what it was sent: a
recalled memory is quoted, an assessment is derived from the user's words. How it answers is
scripted, one step a request, `ok` when the script has run out:

    ok                     the reply below
    reply:TEXT  nonsense  empty  fenced      another text; fenced: the reply in a code fence
    tool:NAME:{JSON}       a tool call and no text
    tools:{JSON}           {"text": …, "calls": [[NAME, ARGUMENTS], …]}: a text, then tool calls
    400  401  404  429:SECONDS  500 ...      that status, 429 and 503 with Retry-After
    refused:STATUS WORDS   that status, with an error of these words
    timeout                no answer at all
    thought                thoughts up to the limit of length, and no answer (whole answers only)
    hold:N                 N tokens, then silence until `release`, then the rest (streams only)
    stall:N  close:N       N tokens, then silence / a broken connection
    cut:N                  N tokens, then a clean end without a finish reason
    length:N               N tokens, then the limit of length (streams only)
    garbage  half          what is no JSON / half of one, in a well-formed HTTP answer
    error:N                N tokens, then an error event (streams only)

It has embedding models, too (`tests.stub_embeddings`), with a script of their own.

In a test: the fixture `stub_model` (a `StubModel`). As a process: `python -m tests.stub_model
--port 9999 --delay-ms 5`, steered by `POST /control` with {"script", "models_script",
"embeddings_script", "delay_ms", "takes_schema", "takes_tools"} (each optional; "reset": true first
forgets everything) and read by `GET /control`.
"""

import argparse
import asyncio
import json
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
import uvicorn

from tests.stub_embeddings import EmbeddingReply
from tests.stub_wire import Control, Event, Receive, RecordedRequest, Reply, Send
from tests.waiting import wait_until


class StubModel:
    """The server: an ASGI app under uvicorn, in a thread (`start`, `stop`) or alone (`serve`)."""

    def __init__(self, *, port: int = 0, delay_ms: float = 0.0) -> None:
        self.control = Control(delay_ms=delay_ms)
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        # Listening from here on: whoever connects before the loop runs waits in the backlog.
        self._socket.listen(1024)
        self.port: int = self._socket.getsockname()[1]
        self._started = threading.Event()
        config = uvicorn.Config(
            self._app,
            interface="asgi3",  # uvicorn guesses only for functions, and this is a method
            lifespan="on",
            log_config=None,
            log_level="critical",  # breaking off is what it is for
            access_log=False,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self.serve, name="stub-model", daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> list[RecordedRequest]:
        """The chat requests it got, oldest first."""
        return list(self.control.requests)

    @property
    def open_connections(self) -> int:
        return len(self._server.server_state.connections)

    def script(self, *steps: str) -> None:
        self.control.script.extend(steps)

    def release(self) -> None:
        """Lets replies that hold go on."""
        self.control.released = True

    def until_asked(self, replies: int = 1) -> None:
        """Waits until so many replies are under way: each has taken its step of the script, which
        the next request would get otherwise."""
        wait_until(lambda: self.control.active_replies == replies, what="the model's reply")

    def until_left(self) -> None:
        """Waits until nobody is answered any more."""
        self.until_asked(0)

    def begin(self) -> None:
        """Begins a test: ends what earlier ones have left, and forgets everything."""
        self.release()
        asyncio.run_coroutine_threadsafe(self._end_silence(), self._loop).result()
        self.control.reset()

    async def _end_silence(self) -> None:
        # A few turns of the loop: it reads the requests that have come, and answers them.
        turns = 10
        while turns or self.control.active_replies:
            for reply in self.control.silent:
                reply.cancel()
            await asyncio.sleep(0 if turns else 0.005)
            turns = max(0, turns - 1)

    def script_models(self, *steps: str) -> None:
        """Statuses for `GET /v1/models`."""
        self.control.models_script.extend(steps)

    def script_embeddings(self, *steps: str) -> None:
        self.control.embeddings_script.extend(steps)

    @property
    def embedding_requests(self) -> list[RecordedRequest]:
        """The requests for vectors it got, oldest first."""
        return list(self.control.embedding_requests)

    def serve(self) -> None:
        self._server.run(sockets=[self._socket])

    def start(self) -> None:
        self._thread.start()
        if not self._started.wait(timeout=10):
            raise TimeoutError("the stub model did not start")

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=10)
        self._socket.close()

    async def _app(self, scope: Event, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        body, more = b"", True
        while more:
            event = await receive()
            body, more = body + event.get("body", b""), event.get("more_body", False)
        route = (scope["method"], scope["path"])
        if route == ("POST", "/v1/chat/completions"):
            await self._chat(scope, json.loads(body), send, receive)
        elif route == ("POST", "/v1/embeddings"):
            await self._embeddings(scope, json.loads(body), send, receive)
        elif route == ("GET", "/v1/models"):
            await self._models(send, receive)
        elif scope["path"] == "/control":
            await self._control(json.loads(body or b"{}"), send, receive)
        else:
            await Reply(self.control, "404", send, receive).refuse(404)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        self._loop = asyncio.get_running_loop()
        await receive()
        self._started.set()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _chat(
        self, scope: Event, request: dict[str, Any], send: Send, receive: Receive
    ) -> None:
        self.control.requests.append(_recorded(scope, request))
        step = self.control.script.popleft() if self.control.script else "ok"
        self.control.active_replies += 1
        try:
            await Reply(self.control, step, send, receive).answer(request)
        finally:
            self.control.active_replies -= 1

    async def _embeddings(
        self, scope: Event, request: dict[str, Any], send: Send, receive: Receive
    ) -> None:
        self.control.embedding_requests.append(_recorded(scope, request))
        script = self.control.embeddings_script
        step = script.popleft() if script else "ok"
        await EmbeddingReply(self.control, step, send, receive).answer(request)

    async def _models(self, send: Send, receive: Receive) -> None:
        step = self.control.models_script.popleft() if self.control.models_script else "ok"
        reply = Reply(self.control, step, send, receive)
        if reply.step == "timeout":
            await reply.silence()
        elif reply.step.isdigit():
            await reply.refuse(int(reply.step))
        else:
            models = [{"id": "stub", "object": "model", "created": 0, "owned_by": "tests"}]
            await reply.whole(200, json.dumps({"object": "list", "data": models}).encode())

    async def _control(self, told: dict[str, Any], send: Send, receive: Receive) -> None:
        self.control.update(told)
        state = {
            "requests": [asdict(request) for request in self.control.requests],
            "script": list(self.control.script),
            "open_connections": self.open_connections - 1,  # without the one that asks
            "active_replies": self.control.active_replies,
        }
        await Reply(self.control, "ok", send, receive).whole(200, json.dumps(state).encode())


def _recorded(scope: Event, request: dict[str, Any]) -> RecordedRequest:
    authorization = dict(scope["headers"]).get(b"authorization", b"").decode()
    return RecordedRequest(scope["path"], authorization, request)


@pytest.fixture(scope="session")
def stub_model_server() -> Iterator[StubModel]:
    server = StubModel()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def stub_model(stub_model_server: StubModel) -> StubModel:
    """The session's one stub, with nothing scripted and nothing recorded."""
    stub_model_server.begin()
    return stub_model_server


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted chat model over HTTP")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay-ms", type=float, default=0.0)
    options = parser.parse_args()
    server = StubModel(port=options.port, delay_ms=options.delay_ms)
    sys.stdout.write(f"The stub model listens at {server.base_url}\n")
    sys.stdout.flush()
    server.serve()


if __name__ == "__main__":
    main()
