"""The recycle bin through the API: what lies in it, taking back, letting go for ever."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from accounts.models import Space
from foundation.errors import Conflict, NotFound
from memory.models import Memory, MemoryEvent
from memory.retention.recycle_bin import delete_memory, restore_memories, restore_memory
from memory.retention.sweep import Swept, sweep
from tests.conftest import ApiClient, MakeKey
from tests.memory.sweeping import DAY, insert, live, removals
from tests.memory.writing import ALICE, NOW, actions, remember, set_policy, stored

HOUR = timedelta(hours=1)


@pytest.fixture
def client(key: MakeKey) -> ApiClient:
    return ApiClient(key())


def test_a_deleted_memory_lies_in_the_bin_with_what_it_weighed(
    space: Space, client: ApiClient
) -> None:
    now = timezone.now()
    memory = remember(space, "User likes pizza", now=now, importance=0.6)
    client.delete(f"memories/{memory.short_id}")

    [item] = client.get("recycle-bin").json()["items"]

    assert (item["id"], item["status"], item["reason"]) == (str(memory.pk), "binned", "deleted")
    assert item["importance"] == 0.6
    assert item["importance_then"] == pytest.approx(0.6, abs=1e-4)
    assert item["rank_then"] is None
    binned_at = datetime.fromisoformat(item["binned_at"])
    assert datetime.fromisoformat(item["purge_at"]) == binned_at + 30 * DAY


def test_the_bin_lists_the_latest_first_page_by_page(space: Space, client: ApiClient) -> None:
    for number in range(5):
        insert(
            space,
            number,
            status="binned",
            bin_reason="over_capacity",
            rank_then=number + 1,
            importance_then=0.5,
            binned_at=NOW + (number // 2) * HOUR,
        )
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        page = client.get("recycle-bin", limit=2, **({"cursor": cursor} if cursor else {})).json()
        seen += [item["content"] for item in page["items"]]
        cursor = page["next"]

    assert cursor is None
    assert sorted(seen) == [f"memory {number}" for number in range(5)]
    assert seen[0] == "memory 4"
    assert set(seen[1:3]) == {"memory 2", "memory 3"}


def test_restoring_begins_a_lifetime_anew(space: Space) -> None:
    """Seed 003, lines 26 and 27: "仅当记忆被注入 prompt", "命中时更新为 `now`". Restoring is no
    use: the lifetime counts from the restore by `clock_started_at`."""
    memory = remember(space, "User had soup", importance=0.1)
    sweep(space=space, now=NOW + 3 * DAY)

    restored = restore_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW + 10 * DAY)

    assert (restored.status, restored.bin_reason, restored.binned_at) == ("live", "", None)
    assert (restored.importance_then, restored.rank_then) == (None, None)
    assert restored.expires_at == NOW + 13 * DAY
    assert restored.clock_started_at == restored.restored_at == NOW + 10 * DAY
    assert restored.last_active_at is None
    assert restored.use_count == 0
    assert actions(memory) == ["created", "expired", "restored"]
    assert sweep(space=space, now=NOW + 12.9 * DAY) == Swept(0, 0, 0)
    assert sweep(space=space, now=NOW + 13 * DAY) == Swept(1, 0, 0)


@pytest.mark.parametrize("grace_hours", [24, 0])
def test_a_restored_memory_is_not_evicted_again_the_same_night(
    space: Space, grace_hours: float
) -> None:
    """ "Restoring from the bin restarts the clock, or it would be evicted again the same night."

    It is the least important by far, and the space is over capacity once more when it is back.
    """
    set_policy(space, capacity=2, grace_hours=grace_hours)
    weakest = insert(space, 1, importance=0.1)
    insert(space, 2, importance=0.8)
    insert(space, 3, importance=0.9)
    sweep(space=space, now=NOW)
    assert live(space) == ["memory 2", "memory 3"]

    restore_memory(space=space, memory_id=weakest.pk, actor=ALICE, now=NOW + HOUR)
    sweep(space=space, now=NOW + 8 * HOUR)

    assert live(space) == ["memory 1", "memory 3"]
    insert(space, 4, importance=0.95)
    sweep(space=space, now=NOW + 26 * HOUR)
    assert live(space) == ["memory 3", "memory 4"]


def test_a_restored_memory_outlives_the_night_with_a_lifetime_of_zero(space: Space) -> None:
    set_policy(space, ttl={"very_low_days": 0})
    memory = remember(space, "User had soup", importance=0.1)
    assert sweep(space=space, now=NOW) == Swept(1, 0, 0)

    restore_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)

    assert sweep(space=space, now=NOW + 23 * HOUR) == Swept(0, 0, 0)
    assert sweep(space=space, now=NOW + 24 * HOUR) == Swept(1, 0, 0)


def test_restoring_what_is_not_in_the_bin_is_a_conflict(space: Space, client: ApiClient) -> None:
    memory = remember(space, "User likes pizza")

    answer = client.post(f"memories/{memory.pk}/restore")

    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert actions(memory) == ["created"]


def test_one_memory_is_restored_by_its_address(space: Space, client: ApiClient) -> None:
    memory = remember(space, "User likes pizza", now=timezone.now())
    client.delete(f"memories/{memory.pk}")

    answer = client.post(f"memories/{memory.short_id}/restore")

    assert (answer.status_code, answer.json()["status"]) == (200, "live")
    assert answer.json()["id"] == str(memory.pk)


def test_many_are_restored_by_whole_and_short_ids(space: Space, client: ApiClient) -> None:
    one, two, stays = [remember(space, f"User owns cat {n}") for n in range(3)]
    for memory in (one, two, stays):
        delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)

    ids = [one.short_id, str(two.pk), two.short_id, str(two.pk).upper()]
    answer = client.post("recycle-bin/restore", {"ids": ids})

    assert answer.status_code == 200
    assert {item["id"] for item in answer.json()["items"]} == {str(one.pk), str(two.pk)}
    assert [item["id"] for item in client.get("recycle-bin").json()["items"]] == [str(stays.pk)]
    assert actions(two) == ["created", "deleted", "restored"]


@pytest.mark.parametrize(
    ("other", "status"),
    [
        ("00000000-0000-4000-8000-000000000000", 404),
        ("0badcafe", 404),
        ("a live one", 409),
        ("soup", 422),
        ("", 422),
    ],
)
def test_many_are_restored_together_or_not_at_all(
    space: Space, client: ApiClient, other: str, status: int
) -> None:
    memory, alive = remember(space, "User likes pizza"), remember(space, "User owns a cat")
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)
    other = str(alive.pk) if other == "a live one" else other

    answer = client.post("recycle-bin/restore", {"ids": [str(memory.pk), other]})

    assert answer.status_code == status
    assert stored(memory).status == "binned"
    assert actions(memory) == ["created", "deleted"]


def test_the_service_refuses_what_is_missing_or_live(space: Space) -> None:
    alive = remember(space, "User owns a cat")
    with pytest.raises(Conflict):
        restore_memories(space=space, memory_ids=[alive.pk], actor=ALICE, now=NOW)
    gone = Memory(space=space).pk
    with pytest.raises(NotFound):
        restore_memories(space=space, memory_ids=[gone], actor=ALICE, now=NOW)


def test_purging_one_deletes_it_for_good(space: Space, client: ApiClient) -> None:
    memory, other = remember(space, "User likes pizza"), remember(space, "User owns a cat")
    for one in (memory, other):
        delete_memory(space=space, memory_id=one.pk, actor=ALICE, now=NOW)

    answer = client.delete(f"recycle-bin/{memory.short_id}")

    assert (answer.status_code, answer.content) == (204, b"")
    assert list(Memory.objects.in_space(space).values_list("pk", flat=True)) == [other.pk]
    assert removals(space) == [("purged", "", None)]
    assert actions(memory) == ["created", "deleted", "purged"]
    event = MemoryEvent.objects.in_space(space).get(action="purged")
    assert (event.actor_type, event.reason) == ("key", "deleted")
    assert client.delete(f"recycle-bin/{memory.pk}").status_code == 404


def test_a_live_memory_cannot_be_purged(space: Space, client: ApiClient) -> None:
    memory = remember(space, "User likes pizza")

    assert client.delete(f"recycle-bin/{memory.pk}").status_code == 404
    assert stored(memory).status == "live"


def test_the_bin_of_another_space_does_not_exist(
    space: Space, other_space: Space, key: MakeKey
) -> None:
    memory = remember(space, "User likes pizza")
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)
    stranger = ApiClient(key(other_space))

    assert stranger.get("recycle-bin").json()["items"] == []
    assert stranger.delete(f"recycle-bin/{memory.pk}").status_code == 404
    assert stranger.post(f"memories/{memory.pk}/restore").status_code == 404
    ids = {"ids": [str(memory.pk)]}
    assert stranger.post("recycle-bin/restore", ids).status_code == 404
    assert stored(memory).status == "binned"


def test_who_may_only_read_changes_nothing(space: Space, key: MakeKey) -> None:
    memory = remember(space, "User likes pizza")
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)
    reader = ApiClient(key(scopes=["read"]))

    assert len(reader.get("recycle-bin").json()["items"]) == 1
    assert reader.post(f"memories/{memory.pk}/restore").status_code == 403
    assert reader.post("recycle-bin/restore", {"ids": [str(memory.pk)]}).status_code == 403
    assert reader.delete(f"recycle-bin/{memory.pk}").status_code == 403
    assert ApiClient(key(scopes=["read", "write"])).post("sweep").status_code == 403
    assert stored(memory).status == "binned"
