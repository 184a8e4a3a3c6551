"""Plain views are answered with their middleware in one go; what streams is not put on a thread."""

import asyncio
import traceback
from collections.abc import Mapping
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import path, reverse
from django.utils.deprecation import MiddlewareMixin

from config.handler import StreamingASGIHandler, is_asynchronous

MIDDLEWARE = "django.middleware.security.SecurityMiddleware"


def told(request: HttpRequest) -> HttpResponse:
    """Whether middleware waits on the view's own stack."""
    stack = {frame.f_code for frame, _ in traceback.walk_stack(None)}
    return HttpResponse(str(MiddlewareMixin.__call__.__code__ in stack))


async def streams(request: HttpRequest) -> HttpResponse:
    return HttpResponse(type(asyncio.get_running_loop()).__name__)


urlpatterns = [path("told", told), path("streams", streams)]


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


def test_an_asynchronous_view_runs_in_the_loop() -> None:
    status, loop = answered("/streams")

    assert status == 200
    assert loop.endswith("EventLoop")


def test_what_is_not_there_is_said_by_a_plain_page() -> None:
    assert answered("/nowhere")[0] == 404


@pytest.mark.parametrize(("name", "expected"), [("api:chat", True), ("api:memories_search", False)])
def test_only_what_streams_or_waits_for_a_model_is_asynchronous(name: str, expected: bool) -> None:
    assert is_asynchronous(reverse(name)) == expected
