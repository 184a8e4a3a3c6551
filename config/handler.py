"""Django as an asynchronous application: plain views in one go, streams that hold no thread."""

from typing import Any

from asgiref.sync import SyncToAsync, iscoroutinefunction, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve


class StreamingASGIHandler(ASGIHandler):
    """Answers plain views on one thread, and frees what a request holds before its stream begins.

    Django runs middleware around an asynchronous handler and hands each half of each to a thread
    and back, twenty times for one page. A view that is not asynchronous itself, as most, is
    answered with all its middleware in one go.

    Django gives each request a thread for synchronous work and keeps it, with its database
    connection, until the last byte is sent. A streamed reply takes as long as a model thinks, so
    both go back first; a stream that needs the database again asks for a moment of a shared thread.
    """

    def __init__(self) -> None:
        super().__init__()
        self._plain = BaseHandler()
        self._plain.load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        if is_asynchronous(request.path_info):
            return await super().get_response_async(request)
        return await sync_to_async(self._plain.get_response)(request)

    async def send_response(self, response: Any, send: Any) -> None:
        if response.streaming:
            await _release_request_thread()
        await super().send_response(response, send)


def is_asynchronous(path: str) -> bool:
    """Whether the view at this path is; where there is none, the page that says so is not."""
    try:
        return iscoroutinefunction(resolve(path).func)
    except Resolver404:
        return False


async def _release_request_thread() -> None:
    from django.db import connections

    await sync_to_async(connections.close_all)()
    context = SyncToAsync.thread_sensitive_context.get(None)
    executor = SyncToAsync.context_to_thread_executor.pop(context, None) if context else None
    if executor is not None:
        executor.shutdown(wait=False)
