"""Every error of the API is problem+json, and says what the caller can do about it."""

import json
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.test.utils import override_settings
from django.urls import path
from psycopg_pool import PoolTimeout
from pytest_django import Settings

from accounts.models import Space
from config.api import api as ebb_api
from endpoints.errors import ANSWERS, NO_DATABASE, server_error
from memory.drafts import MAX_CONTENT
from memory.models import Memory
from tests.conftest import Answer, ApiClient, MakeKey


def assert_problem(answer: Answer, status: int, code: str) -> dict[str, Any]:
    """The shape of API.md; returns the problem."""
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert set(problem) == {"type", "title", "status", "code", "detail", "errors", "instance"}
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["type"] == f"urn:ebb:problem:{code}"
    assert problem["title"]
    assert problem["detail"]
    assert problem["instance"] == f"urn:ebb:request:{answer.headers['X-Request-ID']}"
    assert all(set(error) == {"field", "message"} for error in problem["errors"])
    return problem


@pytest.fixture
def owner(key: MakeKey) -> ApiClient:
    return ApiClient(key())


BODIES = [
    # body, the fields that are named
    (b"{broken", ["body"]),
    (b"\xff\xfe", ["body"]),
    (b"[" * 100_000, ["body"]),
    (b"", ["body"]),
    (b"[]", ["body"]),
    (b'"text"', ["body"]),
    (b"{}", ["content"]),
    (b'{"content": null}', ["content"]),
    (b'{"content": 1}', ["content"]),
    (b'{"content": "x", "colour": "red"}', ["colour"]),
    (b'{"content": "x", "memory_type": "wish"}', ["memory_type"]),
    (b'{"content": "x", "memory_type": ["goal"]}', ["memory_type"]),
    (b'{"content": "x", "facets": {"P": 2}}', ["facets.P"]),
    (b'{"content": "x", "facets": {"P": 0.5, "valence": -1.5}}', ["facets.valence"]),
    (b'{"content": "x", "facets": {}}', ["facets.P"]),
    (b'{"content": "x", "tags": ["a", ""]}', ["tags.1"]),
    (b'{"content": "x", "tags": "food"}', ["tags"]),
    (b'{"content": "half \\ud83c"}', ["content"]),
    (b'{"content": "NUL \\u0000"}', ["content"]),
    (b'{"content": "x", "created_at": "0001-01-01T00:00:00+14:00"}', ["created_at"]),
    (b'{"content": "", "importance": 7}', ["content", "importance"]),
]


@pytest.mark.parametrize(("body", "fields"), BODIES)
def test_bad_body_is_refused_with_its_fields_and_nothing_is_written(
    owner: ApiClient, body: bytes, fields: list[str]
) -> None:
    problem = assert_problem(owner.post("memories", body), 422, "memory_invalid_arguments")

    assert [error["field"] for error in problem["errors"]] == fields
    assert not Memory.objects.exists()


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"[]", "body: Input should be an object"),
        (b'{"content": " "}', "content: must not be empty"),
        (b'{"content": ""}', "content: must not be empty"),
        (b'{"content": "x", "source": 1}', "source: Input should be an object"),
        (
            json.dumps({"content": "x" * (MAX_CONTENT + 1)}).encode(),
            f"content: Text should have at most {MAX_CONTENT} characters",
        ),
    ],
)
def test_what_is_wrong_is_said_without_our_classes_and_validators(
    owner: ApiClient, body: bytes, detail: str
) -> None:
    problem = assert_problem(owner.post("memories", body), 422, "memory_invalid_arguments")

    assert problem["detail"] == detail


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"order": "content"}, "order"),
        ({"order": "-score"}, "order"),
        ({"memory_type": "wish"}, "memory_type"),
        ({"status": "gone"}, "status"),
        ({"q": "\x00"}, "q"),
        ({"cursor": "x"}, "cursor"),
    ],
)
def test_bad_query_is_refused(owner: ApiClient, query: dict[str, Any], field: str) -> None:
    problem = assert_problem(owner.get("memories", **query), 422, "memory_invalid_arguments")

    assert [error["field"] for error in problem["errors"]] == [field]


def test_search_with_an_unknown_profile_names_the_known_ones(owner: ApiClient) -> None:
    answer = owner.post("memories/search", {"query": "pizza", "profile": "best"})

    problem = assert_problem(answer, 422, "memory_invalid_arguments")
    assert problem["errors"][0]["field"] == "profile"
    assert "similar_recent" in problem["detail"]


def test_a_body_that_is_too_large_is_told_so_by_each_api(key: MakeKey, settings: Settings) -> None:
    secret = key()
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    problem = assert_problem(
        ApiClient(secret).post("memories", {"content": "x" * 2000}), 422, "memory_invalid_arguments"
    )
    assert problem["detail"].startswith("body: larger than ")

    asked = {"messages": [{"role": "user", "content": "x" * 2000}]}
    refused = Client().post(
        "/v1/chat/completions", asked, content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )  # fmt: skip
    assert refused.status_code == 413
    assert refused.json()["error"]["code"] == "request_too_large"
    assert not Memory.objects.exists()


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("where", ["nothing", "memories/1/2/3", "", "memories/search/x", "%00"])
def test_unknown_path_is_a_problem(owner: ApiClient, method: str, where: str) -> None:
    problem = assert_problem(owner.call(method, where), 404, "not_found")
    assert "/api/v1/docs" in problem["detail"]


@pytest.mark.parametrize(
    ("method", "where", "allowed"),
    [("PUT", "memories", "GET, POST"), ("DELETE", "chat", "POST"), ("POST", "profiles", "GET")],
)
def test_wrong_method_is_a_problem_that_says_which_are_right(
    owner: ApiClient, method: str, where: str, allowed: str
) -> None:
    answer = owner.call(method, where)

    assert_problem(answer, 405, "method_not_allowed")
    assert sorted(answer.headers["Allow"].split(", ")) == sorted(allowed.split(", "))


def test_missing_and_wrong_keys_are_unauthorized(space: Space) -> None:
    for secret in (None, "", "ebb_wrong", "ключ", "x" * 5000):
        answer = ApiClient(secret).get("memories")
        assert_problem(answer, 401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert "Authorization: Bearer KEY" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("where", "status"),
    [("health/live", 200), ("memories", 200), ("export", 200), ("memories/x", 422), ("nope", 404)],
)
def test_head_answers_what_get_does_without_the_body(
    owner: ApiClient, where: str, status: int
) -> None:
    asked, told = owner.get(where), owner.call("HEAD", where)

    assert asked.status_code == told.status_code == status
    assert told.content == b""
    assert told.headers["Content-Type"] == asked.headers["Content-Type"]
    assert told.headers.get("Content-Length") == asked.headers.get("Content-Length")


def test_every_exception_of_the_table_has_a_handler() -> None:
    for kind, (status, code, title) in ANSWERS.items():
        assert kind in ebb_api._exception_handlers
        assert 400 <= status < 600
        assert code
        assert title


def crash(request: object) -> HttpResponse:
    raise ZeroDivisionError("secret detail")


urlpatterns = [path("api/v1/crash", crash)]


def test_a_crash_is_a_problem_without_its_details() -> None:
    with override_settings(ROOT_URLCONF=__name__):
        answer = Client(raise_request_exception=False).get("/api/v1/crash")

    assert "secret" not in assert_problem(answer, 500, "internal_error")["detail"]


def test_errors_of_pages_stay_pages(space: Space) -> None:
    answer = Client().get("/nothing")

    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")


def no_connection(request: HttpRequest) -> HttpResponse:
    """A view for which the pool has no connection, as Django reports it."""
    raise OperationalError("couldn't get a connection") from PoolTimeout("after 15 s")


def broken(request: HttpRequest) -> HttpResponse:
    raise OperationalError("the server closed the connection")


def without_a_node(request: HttpRequest) -> HttpResponse:
    """A view whose node of a cluster went away, as Citus reports it."""
    with connection.cursor() as cursor:
        cursor.execute("DO $$ BEGIN RAISE 'failure on connection' USING ERRCODE = 'XX000'; END $$")
    return HttpResponse()


handler500 = server_error
urlpatterns += [
    path("page", no_connection),
    path("api/v1/call", no_connection),
    path("v1/call", no_connection),
    path("broken", broken),
    path("node", without_a_node),
]


@pytest.mark.parametrize("where", ["/page", "/broken", "/api/v1/call", "/v1/call"])
def test_without_the_database_the_answer_is_busy(where: str) -> None:
    with override_settings(ROOT_URLCONF=__name__):
        answer = Client(raise_request_exception=False).get(where)

    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    if where == "/api/v1/call":
        assert answer.json()["code"] == "busy"
        assert answer.json()["detail"] == NO_DATABASE


@pytest.mark.django_db(transaction=True)
def test_without_a_node_of_the_cluster_the_answer_is_busy() -> None:
    with override_settings(ROOT_URLCONF=__name__):
        answer = Client(raise_request_exception=False).get("/node")

    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
