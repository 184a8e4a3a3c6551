"""Runs Django asynchronously: each request on one thread, streams without a thread."""

from asyncio import CancelledError
from typing import Any

from asgiref.sync import SyncToAsync, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class StreamingASGIHandler(ASGIHandler):
    """Answers each request on a thread of its own, and frees the thread before a stream begins.

    Django runs middleware around an asynchronous handler and passes each half of each to a thread
    and back, thirty times per request. Here the thread runs all of it, and waits while an
    asynchronous view runs in the event loop. A client that disconnects early cancels the view.

    Django keeps a request's thread and database connection until the last byte is sent. A streamed
    reply lasts as long as the model works, so both are released first. A stream that needs the
    database later uses a shared thread.
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
                # reference cycle. Emptied here, the stream ends now instead of at the next garbage
                # collection.
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
