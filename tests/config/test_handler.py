"""Each request goes through its middleware in one go; what is asynchronous runs in the loop."""

import asyncio
import threading
import traceback
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import path
from django.utils.deprecation import MiddlewareMixin

from config.middleware import handler
from config.middleware.handler import StreamingASGIHandler

MIDDLEWARE = "django.middleware.security.SecurityMiddleware"


def told(request: HttpRequest) -> HttpResponse:
    """Return whether middleware waits on the view's own stack."""
    stack = {frame.f_code for frame, _ in traceback.walk_stack(None)}
    return HttpResponse(str(MiddlewareMixin.__call__.__code__ in stack))


async def streams(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(threading.get_ident()))


def thread(request: HttpRequest) -> HttpResponse:
    return HttpResponse(threading.current_thread().name)


urlpatterns = [path("told", told), path("streams", streams), path("thread", thread)]


def answered(where: str) -> tuple[int, str]:
    """Status and body that the handler gives a GET, as a web server calls it."""
    sent: list[Mapping[str, Any]] = []
    given = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> dict[str, Any]:
        return given.pop() if given else await asyncio.Future()

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": where, "query_string": b"", "headers": []}
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[MIDDLEWARE]):
        asyncio.run(StreamingASGIHandler()(scope, receive, send))
    return sent[0]["status"], sent[1]["body"].decode()


def test_a_plain_view_and_its_middleware_are_one_piece_of_work() -> None:
    assert answered("/told") == (200, "True")


def test_a_free_thread_takes_the_next_request() -> None:
    # A thread is free a moment after its answer.
    names = {answered("/thread")[1] for _ in range(20)}
    assert len(names) < 20


class Counting(ThreadPoolExecutor):
    """A thread that counts what it was asked to do."""

    asked = 0

    def submit(self, *work: Any, **arguments: Any) -> Future[Any]:
        self.asked += 1
        return super().submit(*work, **arguments)


def test_the_thread_answers_closes_the_answer_and_closes_its_connections() -> None:
    thread = Counting(max_workers=1)
    handler._idle.append(thread)  # the next request takes it
    answered("/thread")
    assert thread.asked == 3


def test_an_asynchronous_view_runs_in_the_servers_loop() -> None:
    assert answered("/streams") == (200, str(threading.get_ident()))


def test_what_is_not_there_is_said_by_a_plain_page() -> None:
    assert answered("/nowhere")[0] == 404
