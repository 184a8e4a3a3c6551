"""The history through the API: filters, order, pages, and that it cannot be changed."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Space
from memory.models import MemoryEvent
from memory.models.history import Action
from memory.retention.recycle_bin import delete_memory, purge_memory, restore_memory
from memory.retention.sweep import sweep
from tests.conftest import ApiClient, MakeKey
from tests.memory.sweeping import DAY, insert
from tests.memory.writing import ALICE, NOW, remember, set_policy

HOUR = timedelta(hours=1)


@pytest.fixture
def client(key: MakeKey) -> ApiClient:
    return ApiClient(key())


def _actions(client: ApiClient, **query: Any) -> list[str]:
    return [item["action"] for item in client.get("history", **query).json()["items"]]


def test_an_eviction_says_why_when_who_and_how_much(space: Space, client: ApiClient) -> None:
    set_policy(space, capacity=1)
    weaker = insert(space, 1, importance=0.71, core=True)
    insert(space, 2, importance=0.9)
    sweep(space=space, now=NOW)

    [item] = client.get("history").json()["items"]

    assert item.pop("id") > 0
    assert item == {
        "at": "2026-02-18T12:00:00Z",
        "action": "evicted",
        "actor": {"type": "system", "name": "ebb"},
        "reason": "over_capacity",
        "memory_id": str(weaker.pk),
        "user_id": None,
        "content": "memory 1",
        "importance": 0.71,
        "current_importance": 0.71,
        "rank": 1,
        "policy_version": 2,
    }


def test_every_action_there_is_can_be_asked_for(space: Space, client: ApiClient) -> None:
    for action in Action:
        assert client.get("history", action=action.value).status_code == 200, action


def test_the_history_is_filtered_by_action_memory_and_time(space: Space, client: ApiClient) -> None:
    one, two = remember(space, "User likes pizza"), remember(space, "User owns a cat")
    delete_memory(space=space, memory_id=one.pk, actor=ALICE, now=NOW + HOUR)
    restore_memory(space=space, memory_id=one.pk, actor=ALICE, now=NOW + 2 * HOUR)

    assert _actions(client) == ["restored", "deleted", "created", "created"]
    assert _actions(client, action="deleted") == ["deleted"]
    assert _actions(client, memory_id=str(two.pk)) == ["created"]
    assert _actions(client, memory_id=one.short_id) == ["restored", "deleted", "created"]
    assert _actions(client, since=(NOW + HOUR).isoformat()) == ["restored", "deleted"]
    assert _actions(client, since=(NOW + DAY).isoformat()) == []


def test_a_purged_memory_is_still_found_by_its_short_id(space: Space, client: ApiClient) -> None:
    memory = remember(space, "User likes pizza")
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)
    purge_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)

    assert _actions(client, memory_id=memory.short_id) == ["purged", "deleted", "created"]


def test_pages_of_one_moment_neither_repeat_nor_leave_out(space: Space, client: ApiClient) -> None:
    """A sweep writes many lines with one and the same time."""
    for number in range(7):
        insert(space, number, importance=0.1, clock_started_at=NOW - 5 * DAY)
    sweep(space=space, now=NOW)
    seen: list[int] = []
    cursor: str | None = None
    for _ in range(4):
        page = client.get("history", limit=2, **({"cursor": cursor} if cursor else {})).json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]

    assert cursor is None
    assert seen == sorted(MemoryEvent.objects.values_list("id", flat=True), reverse=True)


@pytest.mark.parametrize(
    "query",
    [
        {"action": "eaten"},
        {"memory_id": "soup"},
        {"memory_id": ""},
        {"since": "yesterday"},
        {"since": "2026-02-30T12:00:00"},
        {"limit": 201},
        {"cursor": "soup"},
        # the cursor of another list: its id is a UUID
        {"cursor": "WyIyMDI2LTAyLTE4VDEyOjAwOjAwKzAwOjAwIiwgImEiLCBudWxsXQ=="},
    ],
)
def test_a_question_that_makes_no_sense_is_refused(
    space: Space, client: ApiClient, query: dict[str, Any]
) -> None:
    answer = client.get("history", **query)

    assert (answer.status_code, answer.json()["code"]) == (422, "memory_invalid_arguments")


def test_the_history_of_another_space_does_not_exist(
    space: Space, other_space: Space, key: MakeKey
) -> None:
    memory = remember(space, "User likes pizza")
    stranger = ApiClient(key(other_space))

    assert stranger.get("history").json() == {"items": [], "next": None}
    assert stranger.get("history", memory_id=str(memory.pk)).json()["items"] == []


def test_what_has_happened_is_not_changed(space: Space) -> None:
    remember(space, "User likes pizza")
    event = MemoryEvent.objects.in_space(space).get()

    with pytest.raises(TypeError, match="append-only"):
        event.save()
    with pytest.raises(TypeError, match="append-only"):
        MemoryEvent.objects.in_space(space).update(content="User likes soup")
