"""Server-sent events out of whatever pieces the network makes of them."""

import asyncio
from typing import Any

import pytest

from assessor.llm import model_session
from assessor.llm.errors import ModelBadAnswer, ModelError, ModelServerError

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def read(*answers: list[bytes]) -> list[tuple[list[Any], ModelError | None]]:
    """The `n` of all chunks of each answer, which comes in these pieces, and what went wrong."""
    coming = iter(answers)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in (HEAD, *next(coming)):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        writer.close()

    async def scene() -> list[tuple[list[Any], ModelError | None]]:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            return [await _came(url) for _ in answers]

    return asyncio.run(scene())


async def _came(url: str) -> tuple[list[Any], ModelError | None]:
    came: list[Any] = []
    async with model_session(base_url=url, api_key="key", model="m") as model:
        try:
            async with model.forward_stream({}) as chunks:
                async for chunk in chunks:
                    came.append(chunk["n"])
        except ModelError as error:
            return came, error
    return came, None


def test_each_event_is_a_chunk() -> None:
    one, two, three = (b'data: {"n": %d}\n\n' % n for n in (1, 2, 3))

    assert read([one + two, three, b"data: [DONE]\n\n"]) == [([1, 2, 3], None)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_no_cut_changes_what_is_read(end: bytes) -> None:
    lines = [b": a comment", b"event: piece", b'data: {"n":', b'data: "\xc3\xa9"}', b""]
    lines += [b'data:{"n": 2}', b"id: 7", b"", b"data: [DONE]", b"", b'data: {"n": 3}', b"", b""]
    whole = end.join(lines)

    answers = [[whole[:cut], whole[cut:]] for cut in range(len(whole) + 1)]

    assert read(*answers) == [(["é", 2], None)] * len(answers)


@pytest.mark.parametrize(
    ("last", "kind"),
    [
        (b"data: ?\n\n", ModelBadAnswer),
        (b'data: {"n": "\xc3"}\n\n', ModelBadAnswer),
        (b'data: {"error": {"message": "too hot"}}\n\n', ModelServerError),
        (b'data: {"error": "too hot"}\n\n', ModelServerError),
    ],
)
def test_what_came_before_an_error_is_not_lost(last: bytes, kind: type[ModelError]) -> None:
    [(came, error)] = read([b'data: {"n": 1}\n\n' + last + b'data: {"n": 2}\n\n'])

    assert (came, type(error)) == ([1], kind)


def test_an_event_that_is_not_ended_is_none() -> None:
    assert read([b'data: {"n": 1}\n\ndata: {"n": 2}\n']) == [([1], None)]
