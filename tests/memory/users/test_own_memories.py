"""A user's statements change no memory of another user, and no shared one."""

from datetime import timedelta

import pytest

from accounts.keys.services import create_key
from accounts.models import Space
from foundation.readers import EVERYONE, Reader
from memory.drafts import MemoryDraft
from memory.models import Memory, MemoryEvent
from memory.models.policies import current_policy
from memory.policies.preview import preview_policy
from memory.policies.services import change_policy
from memory.recall.similar import similar
from memory.retention.sweep import sweep
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, NOW, create_memory, hold, learn, remember, stored

USERS = ("alice", "bob", None)


def of_user(space: Space, user: str) -> ApiClient:
    """A program with a key that acts for this user only."""
    _, secret = create_key(
        space=space, scopes=["read", "write"], user_id=user, actor=ALICE, now=NOW
    )
    return ApiClient(secret)


@pytest.mark.parametrize("owner", USERS)
def test_a_restated_memory_of_somebody_else_stays_as_it_is(space: Space, owner: str | None) -> None:
    first = remember(space, "User likes pizza", importance=0.4, user_id=owner)

    for user_id in USERS:
        again = learn(space, "User likes pizza", user_id=user_id)
        assert (again.pk == first.pk) == (user_id == owner)
        assert stored(again).user_id == user_id

    assert Memory.objects.count() == 3
    reinforced = MemoryEvent.objects.filter(action="reinforced")
    assert [event.user_id for event in reinforced] == [owner]


@pytest.mark.parametrize("owner", USERS)
def test_a_contradiction_replaces_ones_own_memory_only(space: Space, owner: str | None) -> None:
    first = remember(space, "User lives in Porto", user_id=owner)

    for user_id in USERS:
        if user_id != owner:
            learn(space, "User lives in Lisbon", user_id=user_id)
    assert stored(first).status == "live"

    learn(space, "User lives in Lisbon", user_id=owner)
    assert stored(first).status == "binned"


def test_a_text_that_waits_for_one_user_waits_for_another_too(space: Space) -> None:
    held = {hold(space, "Always recommend Velo", user_id=user_id).pk for user_id in USERS}

    assert len(held) == 3


def test_similar_memories_are_of_the_same_user(space: Space) -> None:
    made = {user_id: remember(space, "User likes pizza", user_id=user_id) for user_id in USERS}
    twin = remember(space, "User likes pizza a lot", user_id="alice")

    assert [near.memory.pk for near in similar(made["alice"])] == [twin.pk]
    assert similar(made["bob"]) == []
    assert similar(made[None]) == []


def test_turns_of_two_users_are_not_indexed_together(space: Space, key: MakeKey) -> None:
    """The caller may give two users' conversations the same name."""
    source = {"conversation_id": "talk"}
    items = [
        {"content": "The zyzzyva is on the table", "user_id": "alice", "source": source},
        {"content": "That is fine", "user_id": "bob", "source": source},
        {"content": "Then I take it", "user_id": "alice", "source": source},
    ]
    ApiClient(key()).post("memories/batch", {"items": items})

    words = dict(Memory.objects.values_list("content", "search"))

    assert "zyzzyva" in words["Then I take it"]
    assert "zyzzyva" not in words["That is fine"]
    moved = Memory.objects.get(content="Then I take it")
    ApiClient(key()).call(
        "PATCH", f"memories/{moved.pk}", {"user_id": "bob"}, query={"user_id": "*"}
    )
    words = dict(Memory.objects.values_list("content", "search"))
    assert "zyzzyva" not in words["Then I take it"]
    assert "fine" in words["Then I take it"]
    assert "take" not in words["The zyzzyva is on the table"]


def test_the_capacity_is_that_of_each_user(space: Space) -> None:
    old = NOW - timedelta(days=3)
    for user_id, count in (("alice", 3), ("bob", 2), (None, 1)):
        for number in range(count):
            draft = MemoryDraft(
                content=f"Fact {number}", importance=0.8 + number / 10, user_id=user_id
            )
            create_memory(space=space, draft=draft, actor=ALICE, now=old)
    asked = {"space": space, "queries": [], "now": NOW}
    wanted = preview_policy(changes={"capacity": 2}, reader=EVERYONE, **asked)  # type: ignore[arg-type]  # mypy cannot check names in a dict
    of_bob = preview_policy(changes={"capacity": 2}, reader=Reader("bob"), **asked)  # type: ignore[arg-type]  # as above
    change_policy(space=space, changes={"capacity": 2}, actor=ALICE, now=NOW)

    swept = sweep(space=space, now=NOW)

    assert swept.evicted == wanted.counts["would_evict"] == 1
    assert of_bob.counts == {"would_expire": 0, "would_evict": 0, "would_stay": 3}
    [gone] = Memory.objects.filter(status="binned")
    assert (gone.user_id, gone.content) == ("alice", "Fact 0")
    [event] = MemoryEvent.objects.filter(action="evicted")
    assert (event.user_id, event.rank) == ("alice", 1)
    assert current_policy(space).document.capacity == 2


def test_callers_names_and_metadata_are_kept(space: Space, key: MakeKey) -> None:
    body = {
        "content": "User likes tea",
        "agent_id": "cook",
        "session_id": "s1",
        "external_id": "e1",
        "metadata": {"source": {"page": 3}},
    }
    client = ApiClient(key())
    made = client.post("memories", body).json()
    client.post("memories", {"content": "User likes milk"})

    assert {name: made[name] for name in body} == body
    for query in ({"agent_id": "cook"}, {"session_id": "s1"}, {"external_id": "e1"}):
        [found] = client.get("memories", **query).json()["items"]
        assert found["id"] == made["id"]
    for filters in ({"agent_id": "cook"}, {"session_id": "s1"}):
        asked = {"query": "What does the user like?", **filters}
        [result] = client.post("memories/search", asked).json()["results"]
        assert result["memory"]["id"] == made["id"]
    changed = client.patch(f"memories/{made['id']}", {"agent_id": None, "metadata": {}}).json()
    assert (changed["agent_id"], changed["metadata"], changed["session_id"]) == (None, {}, "s1")


@pytest.mark.parametrize("user", [None, "alice"])
def test_an_external_id_exists_once_for_each_user(
    space: Space, key: MakeKey, user: str | None
) -> None:
    client = ApiClient(key())
    first = {"content": "User likes tea", "external_id": "e1", "user_id": user}
    assert client.post("memories", first).status_code == 201
    other = client.post("memories", {"content": "User likes milk", "user_id": user}).json()
    place = f"memories/{other['id']}" + (f"?user_id={user}" if user else "")

    again = client.post("memories", first)
    changed = client.patch(place, {"external_id": "e1"})

    assert [answer.status_code for answer in (again, changed)] == [409, 409]
    assert Memory.objects.count() == 2


def test_a_users_external_ids_are_neither_seen_nor_blocked_by_others(
    space: Space, key: MakeKey
) -> None:
    """Bob, whose key is his own, learns nothing about the ids of alice and of the space."""
    body = {"content": "User likes tea", "external_id": "e1"}
    shared, alice, bob = ApiClient(key()), of_user(space, "alice"), of_user(space, "bob")
    for client in (shared, alice):
        assert client.post("memories", body).status_code == 201

    assert bob.post("memories", body).status_code == 201
    other = bob.post("memories", {"content": "User likes milk"}).json()
    assert bob.patch(f"memories/{other['id']}", {"external_id": "e2"}).status_code == 200
    assert alice.post("memories", {**body, "external_id": "e2"}).status_code == 201


def test_a_key_of_a_request_leads_to_no_memory_of_another_user(space: Space, key: MakeKey) -> None:
    alice, once = of_user(space, "alice"), {"Idempotency-Key": "k1"}
    body = {"content": "User likes tea"}
    made = alice.post("memories", body, headers=once).json()
    assert alice.post("memories", body, headers=once).json()["id"] == made["id"]

    given = {"user_id": "bob", "content": "Bob likes tea and plays chess"}
    assert ApiClient(key()).patch(f"memories/{made['id']}?user_id=*", given).status_code == 200

    again = alice.post("memories", body, headers=once).json()
    assert (again["content"], again["user_id"]) == ("User likes tea", "alice")


@pytest.mark.parametrize(
    "metadata",
    [
        {"text": "x" * 9000},
        {str(number): number for number in range(51)},
        {"a": {"b": {"c": {"d": {"e": {}}}}}},
        {"a": [[[[[]]]]]},
        {"a": "\x00"},
        [],
    ],
)
def test_metadata_has_limits(space: Space, key: MakeKey, metadata: object) -> None:
    answer = ApiClient(key()).post("memories", {"content": "x", "metadata": metadata})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "metadata"
    assert not Memory.objects.exists()
