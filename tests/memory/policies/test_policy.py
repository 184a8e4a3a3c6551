"""The rules of a space through the API: read, changed in part, checked whole, versioned."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from accounts.models import Space
from foundation.errors import Conflict
from memory.models import PolicyVersion
from memory.models.policies import current_policy
from memory.policies.services import change_policy, revert_policy
from memory.recall.recall import SearchRequest, recall
from memory.retention.recycle_bin import delete_memory, restore_memory
from memory.retention.sweep import Swept, sweep
from tests.conftest import ApiClient, MakeKey
from tests.memory.sweeping import DAY, live
from tests.memory.writing import ALICE, NOW, remember, stored


@pytest.fixture
def client(key: MakeKey) -> ApiClient:
    return ApiClient(key())


def test_a_new_space_has_the_defaults_of_the_contract(space: Space, client: ApiClient) -> None:
    """API.md, Policy (defaults); the numbers are those of seeds 001 and 003."""
    document = client.get("policy").json()

    assert next(iter(document)) == "version"
    assert document == {
        "version": 1,
        "language": "en",
        "capacity": 800,
        "grace_hours": 24,
        "bin_days": 30,
        "ttl": {
            "permanent_threshold": 0.7,
            "medium_threshold": 0.5,
            "low_threshold": 0.3,
            "medium_days": 30,
            "low_days": 7,
            "very_low_days": 3,
            "renew_on_use": True,
            "renew_when": "supported",
            "by_persistence": True,
            "permanent_persistence": 0.75,
        },
        "decay": {"floor": 0.8, "scale_days": 30},
        "recall": {
            "profile": "hybrid",
            "limit": 3,
            "candidate_limit": 300,
            "recency_scale_days": 30,
            "min_score": 0,
            "min_relevance": 0.2,
            "standing": 3,
            "answering": "",
            "relative_dates": False,
            "form": "auto",
        },
        "assessment": {
            "enabled": True,
            "provider": "auto",
            "rubric": "facts",
            "facts": "separate",
            "trigger": "every_exchange",
            "idle_minutes": 30,
            "timeout_seconds": 5,
            "max_wait_seconds": 120,
            "fallback": True,
            "store_above": 0.2,
            "review": True,
            "review_below_confidence": 0,
            "hold_conflicts": False,
            "mask_secrets": True,
        },
        "consolidation": {"mode": "off", "min_confidence": 0.9, "model_calls": 20},
        "importance": {"learn": False},
    }


def test_a_change_merges_deeply_and_raises_the_version(space: Space, client: ApiClient) -> None:
    before = client.get("policy").json()

    answer = client.patch("policy", {"capacity": 5, "ttl": {"medium_days": 0.5}})

    expected = before | {
        "version": 2,
        "capacity": 5,
        "ttl": before["ttl"] | {"medium_days": 0.5},
    }
    assert (answer.status_code, answer.json()) == (200, expected)
    assert client.get("policy").json() == expected


def test_every_version_is_kept_with_who_made_it(space: Space) -> None:
    change_policy(space=space, changes={"capacity": 5}, actor=ALICE, now=NOW)

    versions = PolicyVersion.objects.filter(space=space).order_by("version")
    assert [(v.version, v.document["capacity"], v.actor_name) for v in versions] == [
        (1, 800, "ebb"),
        (2, 5, "alice"),
    ]
    assert versions[1].created_at == NOW


@pytest.mark.parametrize("changes", [{}, {"capacity": 800}, {"ttl": {}}, {"ttl": {"low_days": 7}}])
def test_what_changes_nothing_makes_no_version(
    space: Space, client: ApiClient, changes: dict[str, Any]
) -> None:
    answer = client.patch("policy", changes)

    assert (answer.status_code, answer.json()["version"]) == (200, 1)
    assert PolicyVersion.objects.filter(space=space).count() == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"capasity": 5}, "capasity"),
        ({"ttl": {"days": 5}}, "ttl.days"),
        ({"capacity": 0}, "capacity"),
        ({"capacity": "5"}, "capacity"),
        ({"capacity": True}, "capacity"),
        ({"capacity": None}, "capacity"),
        ({"ttl": None}, "ttl"),
        ({"ttl": 3}, "ttl"),
        ({"ttl": {"medium_days": -1}}, "ttl.medium_days"),
        ({"ttl": {"medium_days": float("nan")}}, "ttl.medium_days"),
        ({"ttl": {"medium_days": float("inf")}}, "ttl.medium_days"),
        ({"ttl": {"low_threshold": 0.9}}, "ttl"),
        ({"decay": {"scale_days": 0}}, "decay.scale_days"),
        ({"recall": {"profile": "best"}}, "recall"),
        ({"assessment": {"provider": "oracle"}}, "assessment.provider"),
        ({"language": "English"}, "language"),
        ({"capacity": 5, "bin_days": "ten"}, "bin_days"),
    ],
)
def test_a_bad_change_names_its_field_and_writes_nothing(
    space: Space, client: ApiClient, changes: dict[str, Any], field: str
) -> None:
    answer = client.patch("policy", changes)

    body = answer.json()
    assert (answer.status_code, body["code"]) == (422, "memory_invalid_arguments")
    assert [error["field"] for error in body["errors"]] == [field]
    assert client.get("policy").json()["version"] == 1
    assert client.post("policy/preview", {"changes": changes}).json()["errors"] == body["errors"]


@pytest.mark.parametrize("body", [[], "capacity", 5, b"{"])
def test_a_change_is_an_object(space: Space, client: ApiClient, body: Any) -> None:
    assert client.patch("policy", body).status_code == 422


def test_a_document_that_was_read_can_be_sent_back_until_it_is_outdated(
    space: Space, client: ApiClient
) -> None:
    document = client.get("policy").json()

    assert client.patch("policy", document | {"capacity": 5}).json()["version"] == 2
    late = client.patch("policy", document | {"capacity": 6})

    assert (late.status_code, late.json()["code"]) == (409, "conflict")
    assert client.get("policy").json()["capacity"] == 5


def test_only_an_admin_changes_rules(space: Space, key: MakeKey) -> None:
    writer = ApiClient(key(scopes=["read", "write"]))

    assert writer.get("policy").status_code == 200
    assert writer.patch("policy", {"capacity": 5}).status_code == 403
    assert current_policy(space).version == 1


def test_rules_are_the_spaces_own(space: Space, other_space: Space, key: MakeKey) -> None:
    ApiClient(key(other_space)).patch("policy", {"capacity": 5})

    assert current_policy(space).document.capacity == 800


@pytest.mark.django_db(transaction=True)
def test_changes_at_once_are_all_kept(space: Space) -> None:
    changes: list[dict[str, Any]] = [
        {"capacity": 5},
        {"ttl": {"low_days": 1}},
        {"ttl": {"medium_days": 2}},
        {"bin_days": 3},
    ]
    together = Barrier(len(changes))

    def change(part: dict[str, Any]) -> int:
        together.wait(timeout=30)
        try:
            return change_policy(space=space, changes=part, actor=ALICE, now=NOW).version
        finally:
            connection.close()

    with ThreadPoolExecutor(len(changes)) as pool:
        versions = sorted(pool.map(change, changes))

    document = current_policy(space).document
    assert versions == [2, 3, 4, 5]
    assert (document.capacity, document.bin_days) == (5, 3)
    assert (document.ttl.low_days, document.ttl.medium_days) == (1, 2)


def test_a_new_ttl_counts_from_when_each_lifetime_began(space: Space) -> None:
    old = remember(space, "User had soup", importance=0.1)
    young = remember(space, "User had rice", importance=0.1, now=NOW + 2 * DAY)
    once_permanent = remember(space, "User had tea", importance=0.75)
    pinned = remember(space, "User had figs", importance=0.1, pinned=True)

    changes = {"ttl": {"very_low_days": 1, "permanent_threshold": 0.8, "medium_days": 20}}
    change_policy(space=space, changes=changes, actor=ALICE, now=NOW + 2 * DAY)

    assert stored(old).expires_at == NOW + DAY
    assert stored(young).expires_at == NOW + 3 * DAY
    assert stored(once_permanent).expires_at == NOW + 20 * DAY
    assert sweep(space=space, now=NOW + 2 * DAY) == Swept(1, 0, 0)
    assert stored(pinned).status == "live"
    change_policy(
        space=space, changes={"ttl": {"permanent_threshold": 0.7}}, actor=ALICE, now=NOW + 2 * DAY
    )
    assert stored(once_permanent).expires_at is None


def test_a_ttl_of_zero_lets_go_at_the_next_sweep(space: Space) -> None:
    """API.md: "Days may be fractions, 0 included (it goes at the next sweep)"."""
    remember(space, "User had soup", importance=0.1)
    remember(space, "User owns a cat", importance=0.6)

    change_policy(space=space, changes={"ttl": {"very_low_days": 0}}, actor=ALICE, now=NOW)

    assert sweep(space=space, now=NOW) == Swept(1, 0, 0)
    assert live(space) == ["User owns a cat"]


def test_a_binned_memory_gets_the_new_ttl_when_it_is_restored(space: Space) -> None:
    memory = remember(space, "User had soup", importance=0.1)
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)
    change_policy(space=space, changes={"ttl": {"very_low_days": 9}}, actor=ALICE, now=NOW)

    assert stored(memory).expires_at == NOW + 3 * DAY
    restore_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW + DAY)
    assert stored(memory).expires_at == NOW + 10 * DAY


def test_another_language_indexes_all_texts_anew(space: Space) -> None:
    """In German "Häuser" and "Haus" have one stem; in English they have not."""
    remember(space, "Die Häuser sind alt")
    remember(space, "Der Hund bellt")

    def lexical() -> float:
        found = recall(space, SearchRequest("Haus", limit=2), now=NOW).results
        return max(result.signals["lexical"] for result in found)

    assert lexical() == 0.0
    change_policy(space=space, changes={"language": "de"}, actor=ALICE, now=NOW)
    assert lexical() > 0.0


def test_a_version_of_somebody_elses_making_is_refused_by_the_service(space: Space) -> None:
    with pytest.raises(Conflict):
        change_policy(space=space, changes={"version": 2}, actor=ALICE, now=NOW)


@pytest.mark.parametrize("floor", [0, 0.5, 0.79, 1.01])
def test_the_decay_floor_is_within_the_seeds_bounds(client: ApiClient, floor: float) -> None:
    """Seed 003, 1.5: "`timeCoef` … 必须保证范围始终在 `[0.8, 1.0]`"; 4.1: "必须落在 0.8~1"."""
    before = client.get("policy").json()

    changed = client.patch("policy", {"decay": {"floor": floor}})
    tried = client.post("policy/preview", {"changes": {"decay": {"floor": floor}}})

    for answer in (changed, tried):
        assert (answer.status_code, answer.json()["code"]) == (422, "memory_invalid_arguments")
        assert [error["field"] for error in answer.json()["errors"]] == ["decay.floor"]
    assert client.get("policy").json() == before
    assert client.patch("policy", {"decay": {"floor": 0.8}}).status_code == 200


def test_a_lower_floor_stored_earlier_is_read_as_the_lowest(
    space: Space, client: ApiClient
) -> None:
    """Policies from before the bound keep working, and can be changed and restored."""
    document = current_policy(space).document.model_dump(mode="json")
    PolicyVersion.objects.filter(space=space).update(
        document=document | {"decay": {"floor": 0.2, "scale_days": 5}}
    )
    remember(space, "User likes pizza", importance=1.0, created_at=NOW - 900 * DAY)

    assert client.get("policy").json()["decay"] == {"floor": 0.8, "scale_days": 5}
    [memory] = client.get("memories").json()["items"]
    assert memory["time_coef"] == pytest.approx(0.8)
    assert client.patch("policy", {"capacity": 5}).json()["decay"]["floor"] == 0.8
    restored = revert_policy(space=space, version=1, actor=ALICE, now=NOW)
    assert (restored.version, restored.document.decay.floor) == (3, 0.8)


def test_fields_of_a_newer_version_are_ignored_and_kept(space: Space, client: ApiClient) -> None:
    newest = PolicyVersion.objects.get(space=space)
    newest.document |= {"mood": "calm", "capacity": 700}
    newest.document["recall"] |= {"depth": {"levels": 3}}
    newest.save()

    read = client.get("policy")
    assert (read.status_code, read.json()["capacity"]) == (200, 700)
    assert "mood" not in read.json()
    assert client.post("memories/search", {"query": "pizza"}).status_code == 200

    changed = client.patch("policy", {"recall": {"limit": 5}})
    assert changed.status_code == 200
    document = PolicyVersion.objects.get(space=space, version=2).document
    assert (document["mood"], document["capacity"]) == ("calm", 700)
    assert (document["recall"]["depth"], document["recall"]["limit"]) == ({"levels": 3}, 5)
    assert current_policy(space).document.recall.limit == 5


def test_a_misspelt_field_of_a_change_is_still_refused(client: ApiClient) -> None:
    refused = client.patch("policy", {"recall": {"limits": 5}})

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "recall.limits"
