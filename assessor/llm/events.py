"""The server-sent events of an endpoint, as many at once as have come.

The SDK hands them out one by one. Where many people are answered at once, several tokens have come
by the time a stream has its turn: one read brings them all, and whatever follows is done once.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from typing import Any, Generic, TypeVar

import httpx2

from assessor.llm.errors import ModelError, ModelServerError
from assessor.llm.sdk_errors import translated

T = TypeVar("T")

_END = "[DONE]"
_DRAIN = 0.1  # seconds that an endpoint has to end its answer after that word


async def events(
    response: httpx2.Response, cast: Callable[[Any], T], *, idle_timeout: float
) -> AsyncGenerator[list[T]]:
    """What the events say, each `cast` from its JSON; a list is what came at once, never empty.

    Raises ModelError, after all that came before it; so does a cast that raises ValueError, and
    nothing at all for `idle_timeout` seconds.
    """
    reader = _Reader(cast)
    async with aclosing(response.aiter_bytes()) as parts:
        while not reader.ended and (part := await _next(parts, idle_timeout)) is not None:
            if said := reader.read(part):
                yield said
            if reader.error is not None:
                raise reader.error
        # Only a connection that was read to the end can be used again.
        with suppress(TimeoutError, httpx2.RequestError):
            async with asyncio.timeout(_DRAIN):
                await anext(parts, None)


async def _next(parts: AsyncIterator[bytes], timeout: float) -> bytes | None:
    with translated():
        async with asyncio.timeout(timeout):
            return await anext(parts, None)


class _Reader(Generic[T]):
    """Bytes in, whole events out. `ended` says that the endpoint has said its last word, `error`
    what was wrong with the first event that could not be read."""

    def __init__(self, cast: Callable[[Any], T]) -> None:
        self.ended = False
        self.error: ModelError | None = None
        self._cast = cast
        self._rest = b""
        self._data: list[bytes] = []

    def read(self, part: bytes) -> list[T]:
        """The events that are whole with this part of the answer."""
        said: list[T] = []
        try:
            with translated():
                for data in self._whole(part):
                    if data.startswith(_END):
                        self.ended = True
                        break
                    said.append(self._cast(_sound(json.loads(data))))
        except ModelError as error:
            self.error = error
        return said

    def _whole(self, part: bytes) -> Iterator[str]:
        lines = (self._rest + part).splitlines(keepends=True)
        # A line without its end, or with half of it.
        self._rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        for line in lines:
            field, _, value = line.rstrip(b"\r\n").partition(b":")
            if field == b"data":
                self._data.append(value.removeprefix(b" "))
            elif not field and not value and self._data:
                data, self._data = b"\n".join(self._data), []
                yield data.decode()


def _sound(event: Any) -> Any:
    """The event, unless it is the endpoint's word that it failed."""
    if isinstance(event, Mapping) and (error := event.get("error")):
        said = error if isinstance(error, Mapping) else None
        message = said.get("message") if said else None
        raise ModelServerError(str(message or "it sent an error amid its answer"), said=said)
    return event
