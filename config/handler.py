"""Runs Django asynchronously: each request on one thread, streams without a thread."""

import asyncio
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_started
from django.db import connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

MOST_IDLE = 32
"""Number of threads that wait for a request; more that become idle end."""

_idle: list[Executor] = []  # each with one thread


class StreamingASGIHandler(ASGIHandler):
    """Answers each request on a thread of its own, in one visit, and streams without a thread.

    Django starts a thread for each request, and another one to end it. It runs middleware around an
    asynchronous handler and passes each half of each to a thread and back, thirty times per
    request. Here a free thread runs all of it, from the first signal to the closed connection. It
    waits while an asynchronous view runs in the event loop. A client that disconnects early cancels
    the view.

    Django keeps a request's thread and database connection until the last byte is sent. A streamed
    reply lasts as long as the model works, so both are released before. A stream that needs the
    database later uses a shared thread.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        set_script_prefix(get_script_prefix(scope))
        request, refused = self.create_request(scope, body)
        with body:
            if request is None:
                await self.send_response(refused, send)  # type: ignore[arg-type]  # there is one
                return
            answering = asyncio.create_task(self._answer(request, scope, send))
            leaving = asyncio.create_task(self.listen_for_disconnect(receive))
            await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                leaving.cancel()
            else:
                answering.cancel()
            with suppress(RequestAborted, asyncio.CancelledError):
                await leaving
            with suppress(asyncio.CancelledError):
                await answering

    async def _answer(self, request: HttpRequest, scope: Any, send: Any) -> None:
        response = await self._in_one_visit(request, scope)
        if not response.streaming:
            await self.send_response(response, send)
            return
        async with ThreadSensitiveContext():
            try:
                await self.send_response(response, send)
            finally:
                await sync_to_async(response.close, thread_sensitive=False)()

    async def _in_one_visit(self, request: HttpRequest, scope: Any) -> HttpResponseBase:
        thread = _idle.pop() if _idle else ThreadPoolExecutor(max_workers=1)
        try:
            async with ThreadSensitiveContext(executor=thread):
                return await sync_to_async(self._on_thread)(request, scope)
        finally:
            _keep(thread)

    def _on_thread(self, request: HttpRequest, scope: Any) -> HttpResponseBase:
        """Return the response; one that is no stream is closed already."""
        request_started.send(sender=type(self), scope=scope)
        try:
            response = self.get_response(request)
            response._handler_class = type(self)  # type: ignore[attr-defined]  # as Django does
            if not response.streaming:
                response.close()
            return response
        finally:
            connections.close_all()


def _keep(thread: Executor) -> None:
    if len(_idle) < MOST_IDLE:
        _idle.append(thread)
    else:
        thread.shutdown(wait=False)
