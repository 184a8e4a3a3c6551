"""Bodies that the OpenAPI document does not allow are refused, and nothing is guessed at."""

import math
from typing import Any

import pytest

from accounts.models import Space
from assessor.models import Assessment
from config.api import api as ebb_api
from memory.models import Memory
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import set_policy

MEMORY: dict[str, Any] = {"content": "User likes pizza"}
SEARCH: dict[str, Any] = {"query": "pizza"}


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("policy/preview", [None, None], "body"),
        ("memories/search", SEARCH | {"profil": "vivid"}, "profil"),
        ("memories/search", SEARCH | {"explain": 1}, "explain"),
        ("memories/search", SEARCH | {"limit": "3"}, "limit"),
        ("memories/search", SEARCH | {"limit": True}, "limit"),
        ("memories", MEMORY | {"pinned": "yes"}, "pinned"),
        ("memories", MEMORY | {"created_at": True}, "created_at"),
        ("memories", MEMORY | {"created_at": "2026"}, "created_at"),
        ("assess", {"user_message": "I like pizza", "store": "true"}, "store"),
        ("assessments", {"user_message": "I like pizza", "context": {"a": ["\0"]}}, "context"),
        ("assessments", {"user_message": "I like pizza", "context": {"\0": 1}}, "context"),
        ("assessments", {"user_message": "I like pizza", "context": {"a": math.nan}}, "context"),
        ("chat", {"message": "I like pizza", "streem": True}, "streem"),
    ],
)
def test_what_is_not_allowed_is_refused(
    key: MakeKey, space: Space, path: str, body: Any, field: str
) -> None:
    refused = ApiClient(key()).post(path, body)

    assert refused.status_code == 422, refused.content
    assert [error["field"] for error in refused.json()["errors"]] == [field]
    assert not Memory.objects.exists()


def test_time_as_a_number_is_refused_in_an_address(key: MakeKey, space: Space) -> None:
    assert ApiClient(key()).get("history", since="0.5").status_code == 422
    assert ApiClient(key()).get("history", since="2026-02-18T12:00:00Z").status_code == 200


def test_longest_lifetime_of_a_policy_can_be_assessed_by(key: MakeKey, space: Space) -> None:
    set_policy(space, ttl={"very_low_days": 36500, "low_days": 36500, "medium_days": 36500})

    assessed = ApiClient(key()).post("assess", {"user_message": "Hm, it rains.", "store": True})

    assert assessed.status_code == 200, assessed.content
    assert Assessment.objects.get().ttl_seconds == 36500 * 86400


def test_scale_too_short_to_divide_by_is_refused(key: MakeKey, space: Space) -> None:
    for changes in ({"decay": {"scale_days": 5e-324}}, {"recall": {"recency_scale_days": 1e-300}}):
        assert ApiClient(key()).patch("policy", changes).status_code == 422


def test_every_call_with_a_key_says_how_it_can_be_refused() -> None:
    document = ebb_api.get_openapi_schema()
    problems = document["components"]["responses"]

    for path, operations in document["paths"].items():
        for operation in operations.values():
            statuses = {int(status) for status in operation["responses"]}
            if operation["security"]:
                assert statuses >= {401, 403, 429}, operation["operationId"]
            if "{" in path:
                assert statuses >= {404, 422}, operation["operationId"]
            names = [parameter.get("name") for parameter in operation["parameters"]]
            assert "idempotency_key" not in names
            for response in operation["responses"].values():
                if "$ref" in response:
                    content = problems[response["$ref"].rsplit("/", 1)[1]]["content"]
                    assert list(content) == ["application/problem+json"]


def test_a_whole_number_with_a_point_is_a_whole_number(key: MakeKey, space: Space) -> None:
    client = ApiClient(key())
    saved = client.patch("policy", {"capacity": 700.0, "recall": {"limit": 5.0}}).json()
    assert (saved["capacity"], saved["recall"]["limit"]) == (700, 5)
    assert client.post("keys", {"scopes": ["read"], "rate_limit": 60.0}).json()["rate_limit"] == 60
    assert client.post("memories/search", {"query": "x", "limit": 2.0}).status_code == 200
    for wrong in (5.5, True, "5"):
        assert client.patch("policy", {"recall": {"limit": wrong}}).status_code == 422
        limited = {"scopes": ["read"], "rate_limit": wrong}
        assert client.post("keys", limited).status_code == 422
