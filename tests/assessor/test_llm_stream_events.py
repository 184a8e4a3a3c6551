"""The reader of an endpoint's server-sent events, by itself."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai
import pytest

from assessor.llm.events import events_of

TWO = ['{"n": 1}', '{"n": "zwei · 二"}']


def read(body: bytes, piece: int = 1000) -> list[Any]:
    """The events of a stream with this body, which arrives in pieces."""

    async def parts() -> AsyncIterator[bytes]:
        for start in range(0, len(body), piece):
            yield body[start : start + piece]

    async def all_events() -> list[Any]:
        request = httpx2.Request("POST", "http://endpoint.test/v1/chat/completions")
        response = httpx2.Response(200, request=request, content=parts())
        found = [event async for event in events_of(response)]
        assert response.is_closed
        return found

    return asyncio.run(all_events())


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_read_whatever_ends_their_lines(end: str, piece: int) -> None:
    body = "".join(f"data: {one}{end}{end}" for one in TWO)

    assert read(body.encode(), piece) == [json.loads(one) for one in TWO]


def test_the_lines_of_an_event_are_joined() -> None:
    assert read(b'data: {"text":\ndata:"a b"}\n\n') == [{"text": "a b"}]


def test_comments_and_other_fields_are_ignored() -> None:
    assert read(b": working\n\nevent: message\nid: 4\ndata: 1\n\nretry: 3\n\n") == [1]


def test_an_event_without_its_end_is_ignored() -> None:
    assert read(b'data: 1\n\ndata: {"half": ') == [1]


def test_what_follows_the_end_is_not_read() -> None:
    assert read(b"data: 1\n\ndata: [DONE]\n\ndata: no JSON\n\n") == [1]


def test_data_that_is_not_json_is_an_error() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        read(b"data: ?\n\n")


@pytest.mark.parametrize("error", [{"message": "overloaded"}, "overloaded"])
def test_an_error_in_the_stream_is_raised(error: object) -> None:
    with pytest.raises(openai.APIError, match="overloaded") as raised:
        read(f"data: {json.dumps({'error': error})}\n\n".encode())
    assert raised.value.body == error


def test_a_connection_that_breaks_is_the_sdks_error() -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"data: 1\n\n"
        raise httpx2.ReadError("broken")

    async def all_events() -> None:
        request = httpx2.Request("POST", "http://endpoint.test/v1/chat/completions")
        async for _ in events_of(httpx2.Response(200, request=request, content=parts())):
            pass

    with pytest.raises(openai.APIConnectionError):
        asyncio.run(all_events())
