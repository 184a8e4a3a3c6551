"""The criteria and conformance cases of seed 002 by name and id, through the JSON API."""

from typing import Any

import pytest

from accounts.models import Space
from memory.models import Memory, MemoryEvent, MemoryRevision
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import NOW, remember

DEFAULTS = {
    "identity": 1.0,
    "goal": 0.9,
    "decision": 0.8,
    "todo": 0.8,
    "preference": 0.7,
    "fact": 0.6,
    "event": 0.4,
    "observation": 0.3,
}


@pytest.fixture
def owner(key: MakeKey) -> ApiClient:
    return ApiClient(key())


@pytest.mark.parametrize(
    ("memory_type", "importance"),
    [pytest.param(*default, id=f"AC-1 C-01 {default[0]}") for default in DEFAULTS.items()],
)
def test_spec_c01_memory_write_applies_type_default_importance(
    owner: ApiClient, memory_type: str, importance: float
) -> None:
    """ "Given `memory_write` is called without explicit `importance`, When a valid `memory_type` is
    provided, Then the stored record uses the default importance for that type." """
    answer = owner.post("memories", {"content": "User is called Jaz", "memory_type": memory_type})

    assert answer.status_code == 201
    written = answer.json()
    assert (written["memory_type"], written["importance"]) == (memory_type, importance)
    assert Memory.objects.get(pk=written["id"]).importance == importance


# As JSON, where NaN and Infinity are no numbers but Python reads them.
BAD_IMPORTANCE = (
    "1.5", "-0.1", "1.0000000001", '"high"', '"0.7"', '""', "NaN", "Infinity", "-Infinity", "true",
    "false", "[0.5]", "{}", "1" + "0" * 400, "1e400",
)  # fmt: skip
# Each way to give an importance: method, path, body, the field that the answer names.
ENDPOINTS = {
    "POST": ("POST", "memories", '{"content": "x", "importance": %s}', "importance"),
    "POST, reinforcing": (
        "POST", "memories", '{"content": "x", "on_duplicate": "reinforce", "importance": %s}',
        "importance",
    ),
    "PATCH": ("PATCH", "memories/{id}", '{"content": "x", "importance": %s}', "importance"),
    "batch": (
        "POST", "memories/batch",
        '{"items": [{"content": "x"}, {"content": "y", "importance": %s}]}', "items.1.importance",
    ),
    "memory_write": (
        "POST", "tools/memory_write", '{"content": "x", "importance": %s}', "importance",
    ),
    "a facet": ("POST", "memories", '{"content": "x", "facets": {"P": %s}}', "facets.P"),
    "a facet, PATCH": ("PATCH", "memories/{id}", '{"facets": {"P": 1, "J": %s}}', "facets.J"),
}  # fmt: skip


@pytest.mark.parametrize("endpoint", ENDPOINTS.values(), ids=[f"AC-2 {name}" for name in ENDPOINTS])
def test_spec_c02_memory_write_rejects_invalid_importance_override(
    owner: ApiClient, space: Space, endpoint: tuple[str, str, str, str]
) -> None:
    """ "When `importance` is outside `0.0..=1.0` or non-numeric, Then the tool returns a validation
    error and does not write a record." """
    method, path, body, field = endpoint
    known = remember(space, "User likes pasta")
    before = everything(space)

    for importance in BAD_IMPORTANCE:
        answer = owner.call(method, path.format(id=known.pk), (body % importance).encode())
        assert answer.status_code == 422, importance
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == "memory_invalid_arguments"
        assert [error["field"] for error in answer.json()["errors"]] == [field]
        assert everything(space) == before, importance


@pytest.mark.parametrize("importance", [0, 0.0, 1, 1.0, 0.5, 5e-324])
def test_importance_at_the_edges_is_kept_as_given(owner: ApiClient, importance: float) -> None:
    written = owner.post("memories", {"content": "User likes pizza", "importance": importance})

    assert written.status_code == 201
    assert written.json()["importance"] == importance
    assert owner.post("memories/search", {"query": "pizza"}).status_code == 200


@pytest.mark.parametrize("way", ["read", "list", "search"], ids=lambda way: f"AC-3 C-03 {way}")
def test_spec_c03_memory_read_and_search_include_type_and_importance(
    owner: ApiClient, way: str
) -> None:
    """ "Entries written with and without explicit type/importance … Both outputs include
    `memory_type` and `importance`" """
    expected = {}
    for body in (
        {"content": "User likes pizza"},
        {"content": "User prefers thin pizza", "memory_type": "preference"},
        {"content": "Pizza was eaten", "memory_type": "event", "importance": 0.95},
    ):
        written = owner.post("memories", body).json()
        expected[written["id"]] = (written["memory_type"], written["importance"])

    if way == "read":
        answers = [owner.get(f"memories/{id_}").json() for id_ in expected]
    elif way == "list":
        answers = owner.get("memories").json()["items"]
    else:
        found = owner.post("memories/search", {"query": "pizza"}).json()["results"]
        answers = [hit["memory"] for hit in found]

    assert sorted(expected.values()) == [("event", 0.95), ("observation", 0.3), ("preference", 0.7)]
    assert {memory["id"]: _typed(memory) for memory in answers} == expected


@pytest.mark.parametrize(
    "profile", ["typed", "combined", "hybrid"], ids=lambda profile: f"AC-4 C-04 {profile}"
)
def test_spec_c04_memory_search_boosts_higher_importance_records(
    owner: ApiClient, profile: str
) -> None:
    """ "Given two otherwise similar memory candidates with different importance values, When
    `memory_search` ranks results, Then higher-importance records receive higher final ranking
    scores." """
    for importance in (0.3, 0.9, 0.6):
        body = {"content": "User likes pizza", "importance": importance, "created_at": NOW_TEXT}
        assert owner.post("memories", body).status_code == 201

    found = owner.post("memories/search", {"query": "pizza", "profile": profile}).json()["results"]

    assert [hit["memory"]["importance"] for hit in found] == [0.9, 0.6, 0.3]
    scores = [hit["score"] for hit in found]
    assert scores[0] > scores[1] > scores[2]


@pytest.mark.parametrize("way", ["API", "batch", "service"], ids=lambda way: f"AC-5 C-05 {way}")
def test_spec_c05_default_paths_remain_backward_compatible(
    owner: ApiClient, space: Space, way: str
) -> None:
    """ "Legacy/default write path (no new args) … Defaults (`observation` + default importance) are
    used and no errors occur" """
    if way == "API":
        id_ = owner.post("memories", {"content": "It rained"}).json()["id"]
    elif way == "batch":
        batch = owner.post("memories/batch", {"items": [{"content": "It rained"}]}).json()
        id_ = batch["items"][0]["id"]
    else:
        id_ = str(remember(space, "It rained").pk)

    assert _typed(owner.get(f"memories/{id_}").json()) == ("observation", 0.3)
    [hit] = owner.post("memories/search", {"query": "rain"}).json()["results"]
    assert (hit["memory"]["id"], *_typed(hit["memory"])) == (id_, "observation", 0.3)


NOW_TEXT = NOW.isoformat()


def _typed(memory: dict[str, Any]) -> tuple[str, float]:
    return memory["memory_type"], memory["importance"]


def everything(space: Space) -> list[list[Any]]:
    """Return all rows that a write could have written."""
    return [
        list(model._default_manager.filter(space_id=space.pk).order_by("pk").values_list())
        for model in (Memory, MemoryEvent, MemoryRevision)
    ]
