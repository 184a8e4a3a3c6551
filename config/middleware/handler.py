"""Runs Django asynchronously: each request on one thread, streams without a thread."""

from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from asgiref.sync import SyncToAsync, ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.signals import request_started
from django.db import close_old_connections, reset_queries
from django.http import HttpRequest
from django.http.response import HttpResponseBase

MOST_IDLE = 32
"""Maximum number of idle threads; further threads end when they become idle."""

_idle: list[Executor] = []  # each with one thread


class StreamingASGIHandler(ASGIHandler):
    """Answers each request on a thread of its own, and frees the thread before a stream begins.

    Django starts a thread for each request, and another one to end it. Here a free thread takes the
    next request.

    Django runs middleware around an asynchronous handler and passes each half of each to a thread
    and back, thirty times per request. Here the thread runs all of it, and waits while an
    asynchronous view runs in the event loop. A client that disconnects early cancels the view.

    Django keeps a request's thread and database connection until the last byte is sent. A streamed
    reply lasts as long as the model works, so both are released first. A stream that needs the
    database later uses a shared thread.
    """

    def __init__(self) -> None:
        super().__init__()
        # A thread closes its connections at the end of a request. Doing so at the beginning, too,
        # would take another change of threads.
        request_started.disconnect(close_old_connections)
        request_started.disconnect(reset_queries)

    def load_middleware(self, is_async: bool = False) -> None:
        """Load the middleware for threads; an async chain would change threads at each step."""
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        thread = _idle.pop() if _idle else ThreadPoolExecutor(max_workers=1)
        async with ThreadSensitiveContext(executor=thread):
            try:
                await self.handle(scope, receive, send)
            finally:
                _free_request_thread()

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """Run the whole request on one thread."""
        return await sync_to_async(self.get_response)(request)

    async def send_response(self, response: Any, send: Any) -> None:
        """Free the request's thread before a stream begins, then send."""
        if response.streaming:
            _free_request_thread()
        await super().send_response(response, send)


def _free_request_thread() -> None:
    """Let the thread take another request as soon as it has done all that this one asked."""
    context = SyncToAsync.thread_sensitive_context.get()
    thread = SyncToAsync.context_to_thread_executor.pop(context, None)
    if thread is not None:
        thread.submit(_close_connections).add_done_callback(lambda _: _keep(thread))


def _keep(thread: Executor) -> None:
    if len(_idle) < MOST_IDLE:
        _idle.append(thread)
    else:
        thread.shutdown(wait=False)


def _close_connections() -> None:
    from django.db import connections

    connections.close_all()
