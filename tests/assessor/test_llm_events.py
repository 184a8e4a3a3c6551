"""Server-sent events out of whatever pieces the network makes of them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import httpx2
import pytest

from assessor.llm.errors import ModelBadAnswer, ModelError, ModelServerError
from assessor.llm.events import events


class Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: Sequence[bytes]) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece


def read(*pieces: bytes) -> tuple[list[list[Any]], ModelError | None]:
    """What came together, and what went wrong in the end."""

    async def scene() -> tuple[list[list[Any]], ModelError | None]:
        came: list[list[Any]] = []
        response = httpx2.Response(200, stream=Pieces(pieces))
        try:
            async with aclosing(events(response, lambda one: one["n"], idle_timeout=5)) as arriving:
                async for together in arriving:
                    came.append(together)
        except ModelError as error:
            return came, error
        return came, None

    return asyncio.run(scene())


def test_what_comes_at_once_is_together() -> None:
    one, two, three = (b'data: {"n": %d}\n\n' % n for n in (1, 2, 3))

    assert read(one + two, three, b"data: [DONE]\n\n") == ([[1, 2], [3]], None)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_no_cut_changes_what_is_read(end: bytes) -> None:
    lines = [b": a comment", b"event: piece", b'data: {"n":', b'data: "\xc3\xa9"}', b""]
    lines += [b'data:{"n": 2}', b"id: 7", b"", b"data: [DONE]", b"", b'data: {"n": 3}', b"", b""]
    whole = end.join(lines)

    for cut in range(len(whole) + 1):
        came, error = read(whole[:cut], whole[cut:])
        assert (sum(came, []), error) == (["é", 2], None), cut


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
    came, error = read(b'data: {"n": 1}\n\n' + last + b'data: {"n": 2}\n\n')

    assert (came, type(error)) == ([[1]], kind)


def test_an_event_that_is_not_ended_is_none() -> None:
    assert read(b'data: {"n": 1}\n\ndata: {"n": 2}\n') == ([[1]], None)
