"""Time and connections: nothing waits for ever, and nothing stays open."""

import asyncio
import contextlib
import json
import socket
from typing import Any

import httpx2
import pytest

from assessor.llm import ChatModel, Chunk, clients, get_model, model_session
from assessor.llm.errors import ModelInterrupted, ModelTimeout, ModelUnreachable
from memory.webhooks.public_transport import checked_request
from tests.assessor.llm_session import (
    HELLO,
    HELLO_REPLY,
    SCHEMA,
    Clock,
    complete,
    put_forward,
    put_forward_when,
    read,
    read_until_error,
    run,
    text_of,
)
from tests.processes import wait_until
from tests.stub_model import StubModel


def come_after(*pauses: float) -> str:
    """Return the text of a stream of one chunk after each pause, in seconds, of which a
    thousand may pass in silence."""
    has_read = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        for number, pause in enumerate(pauses, 1):
            put_forward(pause)  # the client waits, since it has read what was sent before
            has_read.clear()
            reason = "stop" if number == len(pauses) else None
            chunk = {"choices": [{"delta": {"content": f"{number} "}, "finish_reason": reason}]}
            writer.write(f"data: {json.dumps(chunk)}\n\n".encode())
            await has_read.wait()
        writer.close()

    async def scene() -> str:
        came: list[Chunk] = []
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            async with model_session(
                base_url=url, api_key="key", model="m", idle_timeout=1000
            ) as model:
                try:
                    async for chunk in model.stream(HELLO):
                        came.append(chunk)
                        has_read.set()
                finally:
                    has_read.set()
        return text_of(came)

    with asyncio.Runner(loop_factory=Clock) as runner:
        return runner.run(scene())


def test_idle_timeout_counts_from_the_last_chunk() -> None:
    assert come_after(0, 800, 800, 800) == "1 2 3 4 "
    with pytest.raises(ModelTimeout):
        come_after(0, 800, 1001)


def test_the_first_chunk_may_take_longer() -> None:
    assert come_after(1800, 0) == "1 2 "


async def timed_out(model: ChatModel, stub: StubModel) -> None:
    """Asks for a whole answer, and gives up when the model has been silent for long."""
    stub.script("timeout")
    silence = put_forward_when(lambda: stub.control.silent_replies, 100)
    asked = model.complete(HELLO, schema=SCHEMA, timeout=100)
    with pytest.raises(ModelTimeout):
        await asyncio.gather(asked, silence)


def test_complete_timeout_is_for_the_whole_answer(stub_model: StubModel) -> None:
    # Its own time, not the hour of silence that this stream is allowed; and asked once.
    run(stub_model, lambda model: timed_out(model, stub_model), idle_timeout=3600)

    assert len(stub_model.requests) == 1


def test_a_timed_out_call_closes_its_connection_so_that_the_server_stops(
    stub_model: StubModel,
) -> None:
    """llama.cpp's server ends a request when its client is gone. A worker's model lives on."""
    wait_until(lambda: stub_model.open_connections == 0)

    async def give_up(model: ChatModel) -> None:
        await timed_out(model, stub_model)
        await asyncio.to_thread(wait_until, lambda: stub_model.open_connections == 0)
        await asyncio.to_thread(stub_model.until_left)

    run(stub_model, give_up)


def test_early_close_leaks_no_connection(stub_model: StubModel) -> None:
    wait_until(lambda: stub_model.open_connections == 0)

    async def stop_early(model: ChatModel) -> int:
        stub_model.script("stall:2")
        async with contextlib.aclosing(model.stream(HELLO)) as chunks:
            await anext(chunks)
            opened = stub_model.open_connections
        await asyncio.to_thread(wait_until, lambda: stub_model.open_connections == 0)
        return opened

    assert run(stub_model, stop_early) == 1
    stub_model.until_left()


def test_cancelled_consumer_leaks_no_connection(stub_model: StubModel) -> None:
    wait_until(lambda: stub_model.open_connections == 0)

    async def cancel(model: ChatModel) -> None:
        stub_model.script("stall:2")
        reading = asyncio.create_task(read(model))
        await asyncio.to_thread(stub_model.until_asked)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await asyncio.to_thread(wait_until, lambda: stub_model.open_connections == 0)

    run(stub_model, cancel)


def test_failed_streams_leak_no_connection(stub_model: StubModel) -> None:
    wait_until(lambda: stub_model.open_connections == 0)

    async def fail_often(model: ChatModel) -> None:
        for step in ("close:1", "garbage", "stall:1", "timeout"):
            stub_model.script(step)
            await read_until_error(model, [])
        await asyncio.to_thread(wait_until, lambda: stub_model.open_connections == 0)

    run(stub_model, fail_often, idle_timeout=0.2)


def test_finished_streams_keep_one_connection_alive_and_the_session_closes_it(
    stub_model: StubModel,
) -> None:
    wait_until(lambda: stub_model.open_connections == 0)

    async def ask_often(model: ChatModel) -> int:
        for _ in range(5):
            await read(model)
            await complete(model)
        return stub_model.open_connections

    assert run(stub_model, ask_often) == 1
    wait_until(lambda: stub_model.open_connections == 0)


def test_one_model_serves_many_loops_in_turn(stub_model: StubModel) -> None:
    model = get_model(base_url=stub_model.base_url, api_key="loops", model="stub")
    assert model is get_model(base_url=stub_model.base_url, api_key="loops", model="stub")

    async def ask_and_close() -> str:
        text = (await complete(model)).text
        await model.aclose()
        return text

    assert [asyncio.run(ask_and_close()) for _ in range(3)] == [HELLO_REPLY] * 3


def test_two_hundred_streams_at_once(
    stub_model: StubModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One loop connects them all, and may have little of the processor.
    monkeypatch.setattr(clients, "CONNECT_TIMEOUT", 600.0)

    async def read_many(model: ChatModel) -> list[str]:
        replies = await asyncio.gather(*(read(model) for _ in range(200)))
        return [text_of(chunks) for chunks in replies]

    assert run(stub_model, read_many) == [HELLO_REPLY] * 200


def test_kept_connections_that_the_endpoint_closed_fail_nobody() -> None:
    """A loop that is busy has not heard of it yet, and a second try may meet one like the first."""
    stub = StubModel()
    stub.start()

    async def scene() -> list[str]:
        async with model_session(base_url=stub.base_url, api_key="key", model="stub") as model:
            await asyncio.gather(*(read(model) for _ in range(20)))
            stub.stop()  # on the loop's own thread, which learns nothing meanwhile
            again = StubModel(port=stub.port)
            again.start()
            replies = await asyncio.gather(*(read(model) for _ in range(20)))
        again.stop()
        return [text_of(chunks) for chunks in replies]

    assert asyncio.run(scene()) == [HELLO_REPLY] * 20


@pytest.mark.parametrize(("breaks", "comes"), [(1, True), (2, False)])
@pytest.mark.parametrize("streams", [True, False])
def test_a_connection_that_breaks_before_a_word_is_tried_once_more(
    breaks: int, comes: bool, streams: bool
) -> None:
    """An open connection breaks like this when the endpoint is just closing it."""
    asked = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        await reader.readuntil(b"\r\n\r\n")
        asked += 1
        if asked > breaks:
            said = {"content": "Hello"}
            choice = {"delta": said, "message": said, "finish_reason": "stop"}
            body, form = json.dumps({"choices": [choice]}), "application/json"
            if streams:
                body, form = f"data: {body}\n\ndata: [DONE]\n\n", "text/event-stream"
            head = f"HTTP/1.1 200 OK\r\ncontent-type: {form}\r\nconnection: close\r\n\r\n"
            writer.write((head + body).encode())
            await writer.drain()
        writer.close()

    async def scene() -> str:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            url = f"http://127.0.0.1:{port}/v1"
            async with model_session(base_url=url, api_key="key", model="m") as model:
                return text_of(await read(model)) if streams else (await complete(model)).text

    if comes:
        assert asyncio.run(scene()) == "Hello"
    else:
        with pytest.raises(ModelInterrupted):
            asyncio.run(scene())
    assert asked == 2


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_public_only_model_connects_to_no_private_address(
    stub_model: StubModel, host: str
) -> None:
    async def ask() -> None:
        address = f"http://{host}:{stub_model.port}/v1"
        async with model_session(
            base_url=address, api_key="key", model="stub", public_only=True
        ) as model:
            await complete(model)

    with pytest.raises(ModelUnreachable, match="private network"):
        asyncio.run(ask())
    assert stub_model.open_connections == 0
    assert stub_model.requests == []


def test_a_checked_address_is_used_while_the_name_stays(
    stub_model: StubModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name is looked up once, so a changed DNS record has no effect on the connection."""
    lookups: list[str] = []

    def answer(host: str, port: int, *_: object, **__: object) -> list[tuple[Any, ...]]:
        lookups.append(host)
        address = "1.1.1.1" if host == "models.example" else host
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    request = httpx2.Request("POST", f"http://models.example:{stub_model.port}/v1/x")
    sent = checked_request(request)

    assert lookups == ["models.example"]
    assert (sent.url.host, sent.headers["host"]) == ("1.1.1.1", f"models.example:{stub_model.port}")
    assert sent.extensions["sni_hostname"] == "models.example"
