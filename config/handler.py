"""Django as an asynchronous application: each request in one go, streams that hold no thread."""

from asyncio import CancelledError
from typing import Any

from asgiref.sync import SyncToAsync, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class StreamingASGIHandler(ASGIHandler):
    """Answers each request on a thread of its own, and frees it before a stream begins.

    Django runs middleware around an asynchronous handler and hands each half of each to a thread
    and back, thirty times for one request. Here the thread goes through all of it, and waits while
    a view that is asynchronous runs in the event loop. Who leaves early cancels that view.

    Django gives each request a thread for synchronous work and keeps it, with its database
    connection, until the last byte is sent. A streamed reply takes as long as a model thinks, so
    both go back first; a stream that needs the database again asks for a moment of a shared thread.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        return await sync_to_async(self.get_response)(request)

    async def send_response(self, response: Any, send: Any) -> None:
        if response.streaming:
            try:
                await _release_request_thread()
            except CancelledError:
                # The reader left. asgiref keeps this exception, and with it the response, in a
                # circle; dropped here, the stream ends now and not when Python looks for circles.
                response.streaming_content = ()
                raise
        await super().send_response(response, send)


async def _release_request_thread() -> None:
    from django.db import connections

    await sync_to_async(connections.close_all)()
    context = SyncToAsync.thread_sensitive_context.get(None)
    executor = SyncToAsync.context_to_thread_executor.pop(context, None) if context else None
    if executor is not None:
        executor.shutdown(wait=False)
