"""Refuses a newer schema when the server starts, and stores unfinished replies when it stops.

uvicorn gives requests a few seconds, cancels the rest and ends the process. A reply being written
would keep that state until it is overdue, and block its conversation. But the server first waits
for the application's shutdown: there, each open request sees its client disconnect.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from chat.replies import elsewhere, live
from foundation.database.connections import in_thread
from operations.postgres.schema import newer_schema

PATIENCE = 4.0  # seconds; storing takes a few ms if the database answers

Receive = Callable[[], Awaitable[dict[str, Any]]]


class Lifespan:
    """Passes ASGI requests on, and waits for their end at shutdown."""

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
        # If this task were cancelled, Django would abandon its work for the request.
        await asyncio.shield(request)

    async def _live(self, receive: Receive, send: Any) -> None:
        await receive()
        if fault := await in_thread(newer_schema):
            await send({"type": "lifespan.startup.failed", "message": fault})
            return
        answering = asyncio.create_task(elsewhere.answer_others())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._ending.set()
        replies = [live.stop_all(), elsewhere.finish_forwards()]
        ends = asyncio.gather(*replies, *self._requests, return_exceptions=True)
        await asyncio.wait([ends], timeout=PATIENCE)
        answering.cancel()
        await asyncio.wait([answering], timeout=PATIENCE)
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
