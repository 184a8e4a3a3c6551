"""Calls of other programs: browsers of other sites, trailing slashes, unknown hosts."""

import json

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.models import Space
from tests.conftest import ApiClient, MakeKey

SITE = "https://app.example"


@pytest.fixture
def cors(settings: Settings) -> None:
    settings.EBB_CORS_ORIGINS = [SITE]


@pytest.mark.parametrize("path", ["/api/v1/memories", "/v1/models", "/mem0/v1/ping/"])
def test_a_site_that_is_allowed_may_call(key: MakeKey, space: Space, cors: None, path: str) -> None:
    asks = {"Origin": SITE, "Access-Control-Request-Method": "POST"}
    headers = asks | {"Access-Control-Request-Headers": "authorization,x-ebb-memory"}
    before = Client().options(path, headers=headers)
    assert before.status_code == 204
    assert before.headers["Access-Control-Allow-Origin"] == SITE
    assert "POST" in before.headers["Access-Control-Allow-Methods"]
    assert before.headers["Access-Control-Allow-Headers"] == "authorization,x-ebb-memory"

    for secret, status in ((key(), 200), ("wrong", 401)):
        called = {"Origin": SITE, "Authorization": f"Bearer {secret}"}
        answer = Client().get("/api/v1/memories", headers=called)
        assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (status, SITE)
        assert "Origin" in answer.headers["Vary"]
        assert "Access-Control-Allow-Credentials" not in answer.headers


def test_other_sites_and_pages_get_no_permission(key: MakeKey, space: Space, cors: None) -> None:
    asks = {"Access-Control-Request-Method": "GET"}
    for path, origin in (("/api/v1/memories", "https://evil.example"), ("/login/", SITE)):
        for answer in (
            Client().options(path, headers=asks | {"Origin": origin}),
            Client().get(path, headers={"Origin": origin}),
        ):
            assert "Access-Control-Allow-Origin" not in answer.headers, path


def test_a_trailing_slash_makes_no_difference(key: MakeKey, space: Space) -> None:
    client = ApiClient(key())
    assert client.post("memories/", {"content": "User likes pizza"}).status_code == 201
    ids = [
        [one["id"] for one in client.get(path).json()["items"]]
        for path in ("memories/", "memories")
    ]
    assert ids[0] == ids[1] != []
    headers = {"Authorization": f"Bearer {key()}"}
    assert Client().get("/v1/models/ebb/", headers=headers).json()["id"] == "built-in"


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/api/v1/memories", "application/problem+json"),
        ("/v1/models", "application/json"),
        ("/mem0/v1/ping/", "application/json"),
        ("/.well-known/oauth-protected-resource", "application/problem+json"),
        ("/login/", "text/plain; charset=utf-8"),
    ],
)
def test_an_unknown_host_is_told_the_setting(path: str, content_type: str) -> None:
    answer = Client().get(path, headers={"Host": "ebb.example"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, content_type)
    text = answer.content.decode()
    assert "EBB_ALLOWED_HOSTS" in text
    assert "ebb.example" in text
    if "json" in content_type:
        assert json.loads(text)
