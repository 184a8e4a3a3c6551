"""Sends the requests of the async client, with httpx2."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from copy import copy
from typing import Any, Self

import httpx2

from ebb_client.answers import (
    Event,
    EventReader,
    base_of,
    decoded,
    encoded,
    pause,
    refusal,
    with_query,
    worth_repeating,
)
from ebb_client.errors import EbbError, Unreachable


class AsyncWire:
    """Calls an API below `url` with a key, for a user of the space.

    Wires made by `for_user` share the connections. Connections belong to an event loop, and each
    loop gets its own, such as those of `Runner.run_sync` and of several `asyncio.run`.
    """

    def __init__(
        self,
        url: str,
        key: str,
        user_id: str | None = None,
        timezone: str | None = None,
        *,
        timeout: float,
        retries: int,
    ) -> None:
        self._url = base_of(url)
        self._key = key
        self._timeout = timeout
        self._clients: dict[asyncio.AbstractEventLoop, httpx2.AsyncClient] = {}
        self._retries = retries
        self.user_id = user_id
        self.timezone = timezone

    def for_user(self, user_id: str | None, timezone: str | None) -> "AsyncWire":
        """Return the same for another user, in another time zone if one is given."""
        other = copy(self)
        other.user_id, other.timezone = user_id, timezone or self.timezone
        return other

    async def close(self) -> None:
        """Close the connections of this event loop."""
        if client := self._clients.pop(asyncio.get_running_loop(), None):
            await client.aclose()

    def _client(self) -> httpx2.AsyncClient:
        """Return the client of this event loop. Forgets those of closed loops."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            for closed in [one for one in self._clients.copy() if one.is_closed()]:
                self._clients.pop(closed, None)
            self._clients[loop] = httpx2.AsyncClient(timeout=self._timeout)
        return self._clients[loop]

    async def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
        twice: bool = False,
    ) -> Any:
        """Return the answer: parsed JSON, other text, or None if it is empty.

        `twice` means that Ebb may safely receive the call twice, as it may any GET. Raises
        EbbError.
        """
        where = with_query(path, query)
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        twice = twice or method == "GET" or idempotency_key is not None
        for attempt in range(self._retries + 1):
            try:
                async with self._answer(method, where, body, headers) as answer:
                    content_type = answer.headers.get("Content-Type", "")
                    return decoded(await answer.aread(), content_type)
            except EbbError as error:
                if attempt == self._retries or not worth_repeating(error, twice=twice):
                    raise
                await asyncio.sleep(pause(error, attempt))
        raise AssertionError("the last attempt returns or raises")

    async def stream(self, path: str, body: object) -> AsyncIterator[Event]:
        """Yield the events of an answer; closing the iterator ends the call.

        An `error` event is raised.
        """
        reader = EventReader()
        async with self._answer("POST", path, body, {"Accept": "text/event-stream"}) as answer:
            async for line in answer.aiter_lines():
                if event := reader.read(line):
                    yield event

    @asynccontextmanager
    async def _answer(
        self, method: str, path: str, body: object, headers: Mapping[str, str]
    ) -> AsyncIterator[httpx2.Response]:
        """Yield the answer, to read inside the block."""
        data, described = encoded(body)
        sent: dict[str, str | bytes] = {"Authorization": f"Bearer {self._key}"}
        sent |= {**described, **headers}
        if self.user_id is not None:
            sent["X-Ebb-User"] = self.user_id.encode()
        if self.timezone is not None:
            sent["X-Ebb-Timezone"] = self.timezone
        client = self._client()
        request = client.build_request(
            method,
            f"{self._url}/{path}",
            content=data,
            headers=[(name.encode(), _bytes(value)) for name, value in sent.items()],
        )
        try:
            answer = await client.send(request, stream=True)
            try:
                if answer.is_error:
                    raise await _refused(answer)
                yield answer
            finally:
                await answer.aclose()
        except httpx2.TransportError as failure:
            sent_it = not isinstance(failure, httpx2.ConnectError | httpx2.ConnectTimeout)
            raise Unreachable(str(failure) or type(failure).__name__, sent=sent_it) from failure


class Closing:
    """A client that closes its connections: `async with`, or `close`."""

    _wire: AsyncWire

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections, which clients made by `for_user` share."""
        await self._wire.close()


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode()


async def _refused(answer: httpx2.Response) -> EbbError:
    try:
        content = await answer.aread()
    except httpx2.TransportError:
        content = b""
    after = answer.headers.get("Retry-After")
    return refusal(answer.status_code, answer.reason_phrase, content, after)
