"""mem0's endpoint: what a key may see and change of the users of a space."""

from itertools import product
from typing import Any
from uuid import UUID

import pytest

from accounts.models import Space
from endpoints.mem0.endpoint import ROUTES
from memory.models import Memory
from tests.conftest import MakeKey
from tests.endpoints.mem0_client import ALLERGY, Mem0, key_of, refused, told
from tests.memory.transfer.spaces import imported
from tests.memory.users_of_a_space import WORD, OfAlice, alice_said, rows_of_alice
from tests.memory.writing import remember, stored

UNUSED = UUID("cfbff0d1-9375-5685-968c-48ce8b15ae17")
"""An id as imports derive it from a text, of version 5, which no memory has."""


@pytest.fixture
def client(key: MakeKey) -> Mem0:
    return Mem0(key())


@pytest.fixture
def hers(space: Space) -> OfAlice:
    return alice_said(space)


def path_of(route: str, hers: OfAlice) -> str:
    """The path of a call about something of Alice's."""
    named = {"event_id": hers.ids["assessments"], "memory_id": hers.ids["memories"]}
    path = route.replace("{entity_type}", "user").replace("{path:name}", "alice")
    return f"/{path.format(**named)}/"


def bodies_of(path: str, hers: OfAlice) -> list[Any]:
    """The bodies of a call by which somebody could reach for Alice's memories."""
    if path == "/v1/batch/":
        one = {"memory_id": str(hers.ids["memories"])}
        return [{"memories": [one]}, {"memories": [one | {"text": "x"}]}]
    if path.endswith("/add/"):
        return [{"messages": [{"role": "user", "content": ALLERGY}], "user_id": "alice"}]
    alice = {"user_id": "alice"}
    asked: list[dict[str, Any]] = [
        {},
        {"filters": alice},
        {"filters": {"OR": [alice, {"agent_id": "bot"}]}},
        alice,
    ]
    return [None, {"text": "x"}, *({"query": "pizza", **one} for one in asked), *asked]


@pytest.mark.parametrize("bound", [True, False], ids=["a key of Bob", "a key that names Bob"])
def test_no_call_for_bob_shows_or_changes_what_is_alices(
    space: Space, key: MakeKey, hers: OfAlice, bound: bool
) -> None:
    bob = Mem0(key_of(space, "bob")) if bound else Mem0(key(), **{"X-Ebb-User": "bob"})
    before = rows_of_alice()
    for method, route, _answer in ROUTES:
        path = path_of(route, hers)
        for body, query in product(bodies_of(path, hers), ({}, {"user_id": "alice"})):
            answer = bob.call(method, path, body, **query)
            assert WORD not in answer.content.decode(), (method, route)
        assert rows_of_alice() == before, (method, route)


def test_a_header_limits_the_users_of_a_filter(space: Space, key: MakeKey) -> None:
    remember(space, "Theirs", user_id="alice")
    mine = remember(space, "Mine", user_id="bob")
    bob = Mem0(key(), **{"X-Ebb-User": "bob"})

    assert bob.texts({"user_id": "bob"}) == {"Mine"}
    for user in ("alice", "*"):
        body = {"query": "x", "filters": {"user_id": user}}
        assert "two users" in refused(bob.call("POST", "/v3/memories/search/", body), 422)
        del body["query"]
        assert "two users" in refused(bob.call("POST", "/v3/memories/", body), 422)
    assert "two users" in refused(bob.call("DELETE", "/v2/entities/user/alice/"), 422)
    told(bob.call("DELETE", "/v2/entities/user/bob/"))
    assert stored(mine).status == "binned"


def test_a_key_without_a_user_needs_only_the_whole_random_id(
    client: Mem0, space: Space, hers: OfAlice
) -> None:
    """mem0's clients name no user beside an id."""
    memory = Memory.objects.get(pk=str(hers.ids["memories"]))
    path = f"/v1/memories/{memory.pk}/"

    assert told(client.call("GET", path))["user_id"] == "alice"
    assert told(client.call("GET", f"/v1/event/{hers.ids['assessments']}/"))["status"] == "PENDING"
    for guess in (memory.short_id, str(memory.pk)[:-1]):
        refused(client.call("GET", f"/v1/memories/{guess}/"), 422)
    reader = Mem0(key_of(space, scopes=["read"]))
    assert "write" in refused(reader.call("DELETE", path), 403)
    told(client.call("DELETE", path))
    assert stored(memory).status == "binned"


def test_an_id_that_can_be_guessed_needs_its_user(space: Space, key: MakeKey) -> None:
    """The answer is the same whether a memory has the id or not."""
    imported(space, b"content,user_id\nAlice likes pizza,alice\nAll like tea,\n")
    theirs = Memory.objects.get(space=space, user_id="alice")
    shared = Memory.objects.get(space=space, user_id=None)
    client, alice = Mem0(key()), Mem0(key(), **{"X-Ebb-User": "alice"})
    path = f"/v1/memories/{theirs.pk}/"

    for method, body in (("GET", None), ("PUT", {"text": "x"}), ("DELETE", None)):
        answers = [client.call(method, f"/v1/memories/{one}/", body) for one in (theirs.pk, UNUSED)]
        assert {refused(answer, 404) for answer in answers} == {
            "Memory not found. If an import gave it to a user, name the user in X-Ebb-User."
        }
    refused(client.call("GET", f"{path}history/"), 404)
    batch = {"memories": [{"memory_id": str(one.pk)} for one in (shared, theirs)]}
    refused(client.call("DELETE", "/v1/batch/", batch), 404)
    assert (stored(theirs).content, stored(theirs).status) == ("Alice likes pizza", "live")

    told(client.call("PUT", f"/v1/memories/{shared.pk}/", {"text": "All like cake"}))
    assert told(alice.call("GET", path))["memory"] == "Alice likes pizza"
    told(alice.call("DELETE", path))
    assert stored(theirs).status == "binned"
