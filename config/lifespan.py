"""A server that stops stores what it was in the middle of.

uvicorn gives requests a few seconds, cancels what is left, and ends the process the next moment: a
reply that was being written would seem to be so until it is overdue, and its conversation would
take no other message. Before that moment a server waits for the application to end, and to each
request that is still under way the end looks like a client that has left.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from chat import live

PATIENCE = 4.0  # seconds; what is stopped is stored in a few ms, if the database answers

Receive = Callable[[], Awaitable[dict[str, Any]]]


class Lifespan:
    """ASGI: passes requests on, and at the end waits until they are over."""

    def __init__(self, behind: Any) -> None:
        self._behind = behind
        self._ending = asyncio.Event()
        self._requests: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        request = asyncio.create_task(self._behind(scope, self._until_the_end(receive), send))
        self._requests.add(request)
        request.add_done_callback(self._requests.discard)
        # Django would leave what it does for a request behind if this one were cancelled.
        await asyncio.shield(request)

    async def _live(self, receive: Receive, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._ending.set()
        ends = asyncio.gather(live.stop_all(), *self._requests, return_exceptions=True)
        await asyncio.wait([ends], timeout=PATIENCE)
        await send({"type": "lifespan.shutdown.complete"})

    def _until_the_end(self, receive: Receive) -> Receive:
        async def received() -> dict[str, Any]:
            coming = asyncio.ensure_future(receive())
            ending = asyncio.ensure_future(self._ending.wait())
            try:
                await asyncio.wait([coming, ending], return_when=asyncio.FIRST_COMPLETED)
                return coming.result() if coming.done() else {"type": "http.disconnect"}
            finally:
                coming.cancel()
                ending.cancel()

        return received
