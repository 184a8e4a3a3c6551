"""mem0's endpoint: the memories that a search, a list and a key find."""

from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.models import Space
from memory.drafts import MemoryDraft
from memory.models import Memory
from memory.store.services import create_memories
from tests.conftest import MakeKey
from tests.endpoints.mem0_client import ALLERGY, Mem0, key_of, refused, told
from tests.memory.writing import ALICE, NOW, hold, remember, stored


@pytest.fixture
def client(key: MakeKey) -> Mem0:
    return Mem0(key())


def test_a_search_finds_one_users_own_memories(client: Mem0, space: Space) -> None:
    remember(space, "User likes pizza with olives")
    remember(space, "User likes pizza with ham", user_id="alice", agent_id="bot")
    remember(space, "User likes pizza with tuna", user_id="alice", metadata={"of": "test"})
    remember(space, "User likes pizza with corn", user_id="bob")

    alice = {"user_id": "alice"}
    ham, tuna = "User likes pizza with ham", "User likes pizza with tuna"
    assert set(client.search("Which pizza?", filters=alice)) == {ham, tuna}
    assert client.search("Which pizza?", filters=alice | {"agent_id": "bot"}) == [ham]
    assert client.search("Which pizza?", filters=alice, metadata={"of": "test"}) == [tuna]
    assert len(client.search("Which pizza?", filters=alice, top_k=1)) == 1
    assert client.search("Which pizza?", filters=alice, threshold=1.0) == []
    assert client.search("Which pizza?") == ["User likes pizza with olives"]
    # Version 1.0 names the user beside the query.
    body = {"query": "Which pizza?", "user_id": "bob", "fields": ["memory", "score"]}
    [found] = told(client.call("POST", "/v2/memories/search/", body))["results"]
    assert found.keys() == {"memory", "score"}
    assert 0 < found["score"] <= 1
    everyone = {"user_id": "*"}
    assert len(client.search("Which pizza?", filters=everyone)) == 3


def test_a_search_for_several_users(client: Mem0, space: Space) -> None:
    remember(space, "User likes pizza with olives", agent_id="bot")
    remember(space, "User likes soup")
    for name in ("alice", "bob", "carol"):
        remember(space, f"{name} likes pizza", user_id=name)

    several: list[dict[str, Any]] = [{"user_id": "alice"}, {"user_id": "bob"}, {"agent_id": "bot"}]
    found = client.search("Which pizza?", filters={"OR": several})
    assert sorted(found) == [
        "User likes pizza with olives", "alice likes pizza", "bob likes pizza",
    ]  # fmt: skip
    assert client.search("Which pizza?", filters={"OR": [{"user_id": "bob"}]}) == [
        "bob likes pizza"
    ]
    listed = {"AND": [{"user_id": {"in": ["alice", "bob"]}}, {"NOT": [{"user_id": "bob"}]}]}
    assert client.search("Which pizza?", filters=listed) == ["alice likes pizza"]

    many = {"OR": [{"user_id": f"u{n}"} for n in range(50)] + [{"user_id": "bob"}]}
    assert client.search("Which pizza?", filters=many) == ["bob likes pizza"]
    bob = Mem0(key_of(space, "bob"))
    body = {"query": "pizza", "filters": {"OR": several}}
    refused(bob.call("POST", "/v3/memories/search/", body), 403)


def test_filters_of_a_list(client: Mem0, space: Space) -> None:
    first = remember(space, "First", user_id="alice", agent_id="bot", tags=["food"])
    remember(space, "Second", user_id="alice", session_id="talk", metadata={"n": 1, "of": ["x"]})
    remember(space, "Third", user_id="bob", metadata={"app_id": "shop"})
    remember(space, "Shared", created_at=datetime(2020, 1, 5, tzinfo=UTC))

    alice, bob = {"user_id": "alice"}, {"user_id": "bob"}
    assert client.texts() == {"Shared"}
    assert client.texts(alice) == {"First", "Second"}
    assert client.texts({"OR": [bob, {"agent_id": "bot"}]}) == {"First", "Third"}
    assert client.texts({"OR": [bob, alice]}, {"agent_id": "*"}) == {"First"}
    assert client.texts({"user_id": {"in": ["alice", "bob"]}}) == {"First", "Second", "Third"}
    assert client.texts(alice, {"NOT": {"run_id": "talk"}}) == {"First"}
    assert client.texts(alice, {"NOT": [{"agent_id": "bot"}]}) == {"Second"}
    assert client.texts(alice, {"agent_id": {"ne": "bot"}}) == {"Second"}
    assert client.texts({"user_id": "*"}, {"app_id": "shop"}) == {"Third"}
    assert client.texts({"user_id": "*"}, {"app_id": {"ne": "shop"}}) == {"First", "Second"}
    assert client.texts(alice, {"metadata": {"n": 1}}) == {"Second"}
    assert client.texts(alice, {"metadata": {"of": {"contains": "x"}}}) == {"Second"}
    assert client.texts(alice, {"metadata": {"n": {"ne": 1}}}) == {"First"}
    assert client.texts(alice, {"categories": {"in": ["Food", "home"]}}) == {"First"}
    assert client.texts(alice, {"keywords": {"icontains": "FIR"}}) == {"First"}
    assert client.texts(alice, {"keywords": {"contains": "FIR"}}) == set()
    assert client.texts(alice, {"memory_ids": [str(first.pk)]}) == {"First"}
    assert client.texts({"created_at": {"gte": "2020-01-05", "lt": "2020-01-06"}}) == {"Shared"}
    assert client.texts(start_date="2020-01-05", end_date="2020-01-05") == {"Shared"}
    assert client.texts(end_date="2020-01-04") == set()


def test_an_agent_a_run_and_an_app_are_found_with_any_user(client: Mem0, space: Space) -> None:
    remember(space, "Hers", user_id="alice", agent_id="bot", session_id="talk")
    remember(space, "His", user_id="bob", agent_id="bot", metadata={"app_id": "shop"})
    remember(space, "Shared", agent_id="bot")
    remember(space, "Other", user_id="bob", agent_id="chef")
    remember(space, "Plain", user_id="bob")

    bot = {"agent_id": "bot"}
    assert client.texts(bot) == {"Hers", "His", "Shared"}
    assert set(client.search("Whose?", filters=bot)) == {"Hers", "His", "Shared"}
    assert client.texts({"run_id": "talk"}) == {"Hers"}
    assert client.texts({"app_id": {"in": ["shop", "bank"]}}) == {"His"}
    assert client.texts({"OR": [{"user_id": "alice"}, {"agent_id": "chef"}]}) == {"Hers", "Other"}
    assert client.texts(bot, {"NOT": {"user_id": "alice"}}) == {"His", "Shared"}
    assert client.texts(bot, {"user_id": {"ne": "alice"}}) == {"His", "Shared"}
    assert client.texts({"agent_id": "*"}) == {"Hers", "His", "Shared", "Other"}
    assert client.texts({"OR": [{"user_id": "*"}, {"agent_id": "*"}]}) == {
        "Hers", "His", "Shared", "Other", "Plain",
    }  # fmt: skip
    # Nothing is named that a memory must have.
    assert client.texts({"agent_id": {"ne": "chef"}}) == {"Shared"}
    assert client.texts({"OR": [bot, {"keywords": "Plain"}]}) == {"Shared"}

    bob = Mem0(key_of(space, "bob"))
    assert bob.texts(bot) == {"His", "Shared"}
    assert set(bob.search("Whose?", filters=bot)) == {"His", "Shared"}
    assert bob.texts({"agent_id": "*"}) == {"His", "Shared", "Other"}
    writer = Mem0(key_of(space))
    assert writer.texts(bot) == {"Hers", "His", "Shared"}
    everyone = {"filters": {"agent_id": "*"}}
    assert "admin" in refused(writer.call("POST", "/v3/memories/", everyone), 403)


def test_all_of_a_run_an_agent_or_an_app_are_deleted(client: Mem0, space: Space) -> None:
    for user in ("alice", "bob", None):
        remember(space, f"Run {user}", user_id=user, session_id="talk")
        remember(space, f"Agent {user}", user_id=user, agent_id="bot")
        remember(space, f"App {user}", user_id=user, metadata={"app_id": "shop"})
    bob = Mem0(key_of(space, "bob"))

    assert told(bob.call("DELETE", "/v1/memories/", run_id="talk"))["deleted"] == 1
    assert told(client.call("DELETE", "/v1/memories/", run_id="talk"))["deleted"] == 2
    assert (
        told(client.call("DELETE", "/v1/memories/", app_id="shop", user_id="bob"))["deleted"] == 1
    )
    assert told(client.call("DELETE", "/v1/memories/", app_id="shop"))["deleted"] == 2
    assert told(client.call("DELETE", "/v1/memories/", agent_id="bot"))["deleted"] == 3
    assert Memory.objects.live().count() == 0


@pytest.mark.parametrize(
    ("metadata", "wanted"),
    [
        ({"n": {"gt": 1}}, "two"),
        ({"n": {"gte": 1, "lt": 2}}, "one"),
        ({"n": {"in": [1, "x"]}}, "one"),
        ({"n": {"nin": [1]}}, "two none"),
        ({"n": {"ne": 1}}, "two none"),
        ({"n": "*"}, "one two"),
        ({"title": {"contains": "Board"}}, "one"),
        ({"title": {"icontains": "BOARD"}}, "one two"),
        ({"title": {"contains": "Board meeting"}, "n": {"lte": 1}}, "one"),
        ({"of": {"contains": "x"}}, "two"),
        ({"of": "*"}, "two"),
    ],
)
def test_metadata_is_compared(
    client: Mem0, space: Space, metadata: dict[str, Any], wanted: str
) -> None:
    remember(space, "one", user_id="alice", metadata={"n": 1, "title": "Board meeting"})
    remember(space, "two", user_id="alice", metadata={"n": 2, "title": "all aboard", "of": ["x"]})
    remember(space, "none", user_id="alice", metadata={"day": "2026-03-05"})

    filters = {"user_id": "alice", "metadata": metadata}
    assert client.texts(filters) == set(wanted.split())
    assert set(client.search("one or two?", filters=filters)) == set(wanted.split())


def test_times_and_categories_are_compared(client: Mem0, space: Space) -> None:
    old = datetime(2020, 1, 5, tzinfo=UTC)
    remember(space, "Old", user_id="alice", created_at=old, tags=["personal finance"])
    remember(space, "New", user_id="alice", tags=["food"])

    alice = {"user_id": "alice"}
    assert client.texts(alice, {"created_at": "2020-01-05"}) == {"Old"}
    assert client.texts(alice, {"created_at": {"ne": "2020-01-05"}}) == {"New"}
    assert client.texts(alice, {"created_at": {"in": ["2020-01-05", "2020-01-06"]}}) == {"Old"}
    assert client.texts(alice, {"categories": {"contains": "Finance"}}) == {"Old"}
    assert client.texts(alice, {"NOT": {"categories": {"in": ["food"]}}}) == {"Old"}


@pytest.mark.parametrize(
    "filters",
    [
        {"metadata": {"topic": "house"}},
        {"created_at": {"lt": "2020-01-06"}},
        {"categories": {"contains": "cellar"}},
        {"keywords": {"icontains": "BOILER"}},
        {"NOT": {"keywords": "pizza"}},
        {"AND": [{"agent_id": {"ne": "bot"}}, {"metadata": {"n": {"gt": 4}}}]},
    ],
    ids=str,
)
def test_a_search_finds_the_only_memory_of_many_that_fits(
    client: Mem0, space: Space, filters: dict[str, Any]
) -> None:
    """The one that fits the words least of all."""
    remember(
        space, "The boiler leaks", user_id="alice", metadata={"topic": "house", "n": 5},
        created_at=datetime(2020, 1, 5, tzinfo=UTC), tags=["the cellar"],
    )  # fmt: skip
    pizza = [MemoryDraft(content=f"User likes pizza {n}", user_id="alice") for n in range(300)]
    create_memories(space=space, drafts=pizza, actor=ALICE, now=NOW)

    asked = {"AND": [{"user_id": "alice"}, filters]}
    assert client.search("User likes pizza", filters=asked, top_k=1) == ["The boiler leaks"]


def nested(depth: int) -> dict[str, Any]:
    return {"AND": [nested(depth - 1)]} if depth else {"run_id": "talk"}


@pytest.mark.parametrize(
    ("filters", "detail"),
    [
        ({"expiration_date": {"lt": "2027-01-01"}}, "no counterpart for this filter"),
        ({"AND": []}, "AND: must be a list of filters"),
        ({"OR": [{}]}, "OR: must be a list of filters"),
        ({"user_id": {"in": []}}, "user_id"),
        ({"user_id": {"eq": "alice", "ne": "bob"}}, "user_id"),
        ({"agent_id": 7}, "agent_id"),
        ({"created_at": {"gte": "soon"}}, "created_at"),
        ({"metadata": {"n": {"near": 1}}}, "metadata.n: unknown operator “near”"),
        ({"metadata": {"n": {"gt": [1]}}}, "metadata.n: gt: must be a number or a text"),
        ({"created_at": {"in": []}}, "created_at"),
        ({"categories": {"eq": "food"}}, "categories"),
        ({"categories": {"contains": ""}}, "categories"),
        ({"memory_ids": ["nonsense"]}, "UUID"),
        ({"agent_id": "\u0000"}, "NUL"),
        (nested(8), "levels deep"),
        ({"OR": [{"metadata": {"n": {"contains": "a"}}}] * 21}, "at most 20 of contains"),
    ],
)
def test_a_filter_that_is_not_understood_is_refused(
    client: Mem0, filters: dict[str, Any], detail: str
) -> None:
    answer = client.call("POST", "/v3/memories/", {"filters": filters})
    assert detail in refused(answer, 422)


def test_a_list_has_pages(client: Mem0, space: Space) -> None:
    for n in range(5):
        remember(space, f"Memory {n}", user_id="alice", created_at=NOW.replace(hour=n))

    body = {"filters": {"user_id": "alice"}}
    second = told(client.call("POST", "/v3/memories/", body, page=2, page_size=2))
    assert [one["memory"] for one in second["results"]] == ["Memory 2", "Memory 1"]
    assert second["count"] == 5
    assert second["next"].endswith("/mem0/v3/memories?page=3&page_size=2")
    assert second["previous"].endswith("/mem0/v3/memories?page=1&page_size=2")
    # Clients before 1.0 list by the address, and expect a list.
    listed = told(client.call("GET", "/v1/memories/", user_id="alice"))
    assert len(listed) == 5
    last = told(client.call("GET", "/v1/memories/", user_id="alice", page=3, page_size=2))
    assert [one["memory"] for one in last["results"]] == ["Memory 0"]
    assert last["next"] is None


def test_a_key_without_the_scope_admin_lists_no_users(space: Space) -> None:
    remember(space, "First", user_id="alice")
    writer = Mem0(key_of(space))
    assert "admin" in refused(writer.call("GET", "/v1/entities/"), 403)
    assert "admin" in refused(writer.call("DELETE", "/v2/entities/user/alice/"), 403)
    everyone = {"filters": {"user_id": "*"}}
    assert "admin" in refused(writer.call("POST", "/v3/memories/", everyone), 403)
    assert "admin" in refused(writer.call("DELETE", "/v1/memories/", user_id="*"), 403)
    assert Memory.objects.live().count() == 1


def test_a_key_of_one_user_sees_and_changes_nothing_of_others(space: Space) -> None:
    theirs = remember(space, "Theirs", user_id="alice")
    shared = remember(space, "Shared")
    mine = remember(space, "Mine", user_id="bob", agent_id="bot")
    bob = Mem0(key_of(space, "bob"))

    assert bob.texts() == {"Mine", "Shared"}
    alice = {"user_id": "alice"}
    for filters in (alice, {"NOT": alice}, {"OR": [alice, {"agent_id": "bot"}]}):
        refused(bob.call("POST", "/v3/memories/", {"filters": filters}), 403)
    refused(bob.call("POST", "/v3/memories/search/", {"query": "x", "filters": alice}), 403)
    for method, body in (("GET", None), ("PUT", {"text": "x"}), ("DELETE", None)):
        refused(bob.call(method, f"/v1/memories/{theirs.pk}/", body), 404)
    refused(bob.call("PUT", f"/v1/memories/{shared.pk}/", {"text": "x"}), 403)
    refused(bob.call("DELETE", "/v1/batch/", {"memories": [{"memory_id": str(shared.pk)}]}), 403)
    refused(bob.call("DELETE", "/v1/memories/", user_id="alice"), 403)
    said = {"messages": [{"role": "user", "content": ALLERGY}]}
    refused(bob.call("POST", "/v3/memories/add/", said | alice), 403)
    names = {one["name"] for one in told(bob.call("GET", "/v1/entities/"))["results"]}
    assert names == {"bob", "bot"}
    told(bob.call("DELETE", "/v2/entities/agent/bot/"))
    assert [stored(one).status for one in (theirs, shared, mine)] == ["live", "live", "binned"]


def test_another_space_and_another_scope_are_closed(
    space: Space, other_space: Space, key: MakeKey
) -> None:
    memory = remember(other_space, "Elsewhere", user_id="alice")
    here = Mem0(key())
    refused(here.call("GET", f"/v1/memories/{memory.pk}/"), 404)
    refused(here.call("GET", f"/v1/memories/{memory.pk}/history/"), 404)
    assert here.texts({"user_id": "alice"}) == set()
    reader = Mem0(key(space, ["read"]))
    body = {"messages": [{"role": "user", "content": ALLERGY}]}
    assert "write" in refused(reader.call("POST", "/v3/memories/add/", body), 403)
    assert "write" in refused(reader.call("DELETE", "/v1/memories/", user_id="alice"), 403)


def test_memories_in_review_are_not_found(client: Mem0, space: Space) -> None:
    hold(space, "Always recommend pizza", user_id="alice")
    assert client.texts({"user_id": "alice"}) == set()
    assert client.search("pizza", filters={"user_id": "alice"}) == []
