"""mem0's endpoint: messages, memories by their ids, entities, and calls without a counterpart.

`make adapters` tries it with mem0's own clients.
"""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from accounts.models import Space
from assessor.models import Assessment, State
from assessor.tasks import assess
from memory.models import Memory, Status
from tests.conftest import MakeKey
from tests.endpoints.mem0_client import ALLERGY, Mem0, key_of, refused, told
from tests.memory.writing import remember, stored
from tests.processes import Web
from tests.stub_model import StubModel


@pytest.fixture
def client(key: MakeKey) -> Mem0:
    return Mem0(key())


def test_a_new_client_asks_whether_its_key_is_valid(client: Mem0, space: Space) -> None:
    ping = told(client.call("GET", "/v1/ping/"))
    assert (ping["status"], ping["project_id"]) == ("ok", space.slug)
    assert ping["org_id"]  # their client does not start without it

    detail = refused(Mem0("wrong").call("GET", "/v1/ping/"), 401)
    assert "Authorization: Token KEY" in detail


def test_messages_are_assessed_and_a_repeated_one_updates(client: Mem0, space: Space) -> None:
    messages = [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": ALLERGY},
        {"role": "assistant", "content": "I will keep that in mind."},
        {"role": "user", "content": "thanks!"},
    ]
    body = {"messages": messages, "user_id": "alice", "agent_id": "bot", "run_id": "talk"}
    first = told(client.call("POST", "/v3/memories/add/", body | {"metadata": {"of": "test"}}))

    [result] = first["results"]
    memory = Memory.objects.get(space=space)
    assert (result["id"], result["event"]) == (str(memory.pk), "ADD")
    assert result["memory"] == result["data"]["memory"] == memory.content
    assert first["status"] == "SUCCEEDED"
    assert (memory.user_id, memory.agent_id, memory.session_id) == ("alice", "bot", "talk")
    assert memory.metadata == {"of": "test"}
    rows = Assessment.objects.order_by("created_at")
    assert [row.state for row in rows] == [State.DONE, State.IGNORED]

    del body["run_id"]  # said once more, on another occasion
    again = told(client.call("POST", "/v3/memories/add/", body))
    assert [(one["id"], one["event"]) for one in again["results"]] == [(str(memory.pk), "UPDATE")]


def test_names_may_be_in_filters_and_an_app_in_the_metadata(client: Mem0, space: Space) -> None:
    client.add(ALLERGY, filters={"user_id": "alice", "app_id": "shop"})

    memory = Memory.objects.get(space=space)
    assert (memory.user_id, memory.metadata) == ("alice", {"app_id": "shop"})
    shown = told(client.call("GET", f"/v1/memories/{memory.pk}/"))
    assert (shown["user_id"], shown["app_id"]) == ("alice", "shop")


def test_a_switch_without_a_counterpart_may_be_off(client: Mem0) -> None:
    client.add(ALLERGY, user_id="alice", infer=False, immutable=False, enable_graph=False)
    alice = {"user_id": "alice"}
    assert client.search("allergic", filters=alice, show_expired=False, source="PLUGIN")
    body = {"query": "allergic", "filters": alice, "show_expired": True}
    assert "no counterpart" in refused(client.call("POST", "/v3/memories/search/", body), 422)


def test_a_timestamp_is_the_time_of_the_memory(client: Mem0, space: Space) -> None:
    client.add(ALLERGY, user_id="alice", timestamp=1_700_000_000)

    memory = Memory.objects.get(space=space)
    assert memory.created_at == datetime.fromtimestamp(1_700_000_000, UTC)
    assert memory.clock_started_at > memory.created_at


def test_messages_may_be_queued(client: Mem0, space: Space) -> None:
    """Clients of version 1.0 ask for it with every `add`."""
    body = {
        "messages": [{"role": "user", "content": ALLERGY}],
        "user_id": "alice",
        "agent_id": "bot",
        "async_mode": True,
        "output_format": "v1.1",
        "org_id": "ebb",
        "project_id": "home",
    }
    answer = told(client.call("POST", "/v1/memories/", body))

    assert (answer["status"], answer["results"][0]["status"]) == ("PENDING", "PENDING")
    assert not Memory.objects.exists()
    event = f"/v1/event/{answer['event_id']}/"
    assert told(client.call("GET", event))["status"] == "PENDING"

    assess(space.pk, answer["event_id"])
    done = told(client.call("GET", event))
    memory = Memory.objects.get(space=space)
    assert (done["status"], done["results"][0]["id"]) == ("SUCCEEDED", str(memory.pk))
    assert (memory.user_id, memory.agent_id) == ("alice", "bot")
    other = Mem0(key_of(space, "bob"))
    assert refused(other.call("GET", event), 404) == "Event not found."


def test_without_infer_messages_are_saved_as_they_are(client: Mem0, space: Space) -> None:
    body = {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Do you like"}]},
            {"role": "assistant", "content": "Yes, pizza"},
        ],
        "agent_id": "bot",
        "infer": False,
    }
    saved = told(client.call("POST", "/v3/memories/add/", body))

    assert [one["memory"] for one in saved["results"]] == ["Do you like", "Yes, pizza"]
    assert {one["event"] for one in saved["results"]} == {"ADD"}
    roles = Memory.objects.filter(space=space).values_list("source_role", "agent_id")
    assert set(roles) == {("user", "bot"), ("assistant", "bot")}
    assert not Assessment.objects.exists()


def test_without_infer_a_text_is_kept_once_and_word_for_word(client: Mem0, space: Space) -> None:
    text = "  I moved:\n\tto Porto.  "
    first = client.add(text, user_id="alice", infer=False)["results"]
    again = client.add(text, user_id="alice", infer=False)["results"]
    other = client.add(text, user_id="alice", run_id="talk", infer=False)["results"]
    shop = client.add(text, user_id="alice", app_id="shop", infer=False)["results"]
    twice = [{"role": role, "content": "Hi"} for role in ("system", "user", "user", "tool")]
    body = {"messages": twice, "user_id": "alice", "infer": False}
    both = told(client.call("POST", "/v3/memories/add/", body))["results"]

    assert [one["memory"] for one in (*first, *again)] == [text, text]
    assert [one["event"] for one in (*first, *again, *other, *shop)] == [
        "ADD", "NOOP", "ADD", "ADD",
    ]  # fmt: skip
    assert again[0]["id"] == first[0]["id"]
    assert [one["memory"] for one in both] == ["Hi"]
    assert Memory.objects.filter(space=space).count() == 4
    body["messages"] = twice[:1]
    assert "no message" in refused(client.call("POST", "/v3/memories/add/", body), 422)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "Hi"}]}, "infer=false"),
        ({"messages": [{"role": "user", "content": {"type": "image_url"}}]}, "does not read"),
        ({"custom_instructions": "Only food"}, "custom_instructions: Ebb has no counterpart"),
        ({"expiration_date": "2027-01-01"}, "expiration_date: Ebb has no counterpart"),
        ({"filters": {"OR": []}}, "OR: Ebb has no counterpart"),
        ({"user_id": "*"}, "user_id"),
        ({"metadata": {str(n): n for n in range(50)}, "app_id": "shop"}, "at most 50 keys"),
    ],
)
def test_a_wrong_add_writes_nothing(client: Mem0, body: dict[str, Any], detail: str) -> None:
    messages = [{"role": "user", "content": ALLERGY}]
    answer = client.call("POST", "/v3/memories/add/", {"messages": messages, **body})
    assert detail in refused(answer, 422)
    assert not Assessment.objects.exists()
    assert not Memory.objects.exists()


def test_a_memory_is_read_changed_and_deleted_by_its_id(client: Mem0, space: Space) -> None:
    memory = remember(space, "User likes pizza", user_id="alice", metadata={"app_id": "shop"})
    path = f"/v1/memories/{memory.pk}/"

    assert told(client.call("GET", path))["memory"] == "User likes pizza"
    assert "UUID" in refused(client.call("GET", f"/v1/memories/{memory.short_id}/"), 422)
    changed = told(client.call("PUT", path, {"text": "User loves pizza", "metadata": {"n": 1}}))
    assert changed["memory"] == "User loves pizza"
    assert changed["metadata"] == {"app_id": "shop", "n": 1}
    assert changed["updated_at"] > changed["created_at"]
    assert "deleted" in told(client.call("DELETE", path))["message"]
    assert stored(memory).status == Status.BINNED
    assert refused(client.call("GET", path), 404) == "Memory not found."

    history = told(client.call("GET", f"{path}history/"))
    assert [(one["event"], one["old_memory"], one["new_memory"]) for one in history] == [
        ("ADD", None, "User likes pizza"),
        ("UPDATE", "User likes pizza", "User loves pizza"),
        ("DELETE", "User loves pizza", None),
    ]


def test_an_update_adds_metadata_and_the_history_tells_what_it_was(
    client: Mem0, space: Space
) -> None:
    first = {"topic": "house", "priority": "high"}
    memory = remember(space, "The boiler leaks", user_id="alice", metadata=first)
    path = f"/v1/memories/{memory.pk}/"

    told(client.call("PUT", path, {"metadata": {"priority": "low"}}))
    changed = told(client.call("PUT", path, {"text": "It is mended", "metadata": {"n": 1}}))
    batch = {"memories": [{"memory_id": str(memory.pk), "metadata": {"n": 2}}]}
    told(client.call("PUT", "/v1/batch/", batch))

    second = first | {"priority": "low"}
    assert changed["metadata"] == second | {"n": 1}
    assert stored(memory).metadata == second | {"n": 2}
    history = told(client.call("GET", f"{path}history/"))
    assert [(one["new_memory"], one["metadata"]) for one in history] == [
        ("The boiler leaks", first),
        ("The boiler leaks", second),
        ("It is mended", second | {"n": 1}),
        ("It is mended", second | {"n": 2}),
    ]
    many = {"metadata": {str(number): number for number in range(48)}}
    assert "at most 50 keys" in refused(client.call("PUT", path, many), 422)
    assert stored(memory).revision == 4


def test_an_update_needs_something_that_ebb_can_change(client: Mem0, space: Space) -> None:
    memory = remember(space, "User likes pizza")
    path = f"/v1/memories/{memory.pk}/"
    for empty in ({"expiration_date": None}, {"timestamp": 1_700_000_000}, {}):
        assert "give text or metadata" in refused(client.call("PUT", path, empty), 422)
    late = {"text": "x", "timestamp": 1_700_000_000}
    assert "timestamp: Ebb has no counterpart" in refused(client.call("PUT", path, late), 422)
    assert "delete_linked" in refused(client.call("DELETE", path, delete_linked="true"), 422)
    assert stored(memory).revision == 1


def test_batches_change_all_or_none(client: Mem0, space: Space) -> None:
    one = remember(space, "User likes pizza", user_id="alice")
    two = remember(space, "User likes tea")
    changes = [
        {"memory_id": str(one.pk), "text": "User loves pizza"},
        {"memory_id": str(two.pk), "metadata": {"n": 1}},
    ]
    unknown = {"memory_id": str(uuid4()), "text": "x"}
    refused(client.call("PUT", "/v1/batch/", {"memories": [*changes, unknown]}), 404)
    assert stored(one).content == "User likes pizza"

    answer = told(client.call("PUT", "/v1/batch/", {"memories": changes}))
    assert answer["message"] == "Successfully updated 2 memories"
    assert (stored(one).content, stored(two).metadata) == ("User loves pizza", {"n": 1})

    ids = [{"memory_id": str(one.pk)}, {"memory_id": str(two.pk)}]
    refused(client.call("DELETE", "/v1/batch/", {"memories": [*ids, unknown]}), 422)
    unknown.pop("text")
    refused(client.call("DELETE", "/v1/batch/", {"memories": [*ids, unknown]}), 404)
    assert stored(one).status == Status.LIVE
    told(client.call("DELETE", "/v1/batch/", {"memories": ids}))
    assert {stored(one).status, stored(two).status} == {Status.BINNED}


def test_all_of_a_user_are_deleted_and_nothing_without_a_name(client: Mem0, space: Space) -> None:
    mine = remember(space, "Mine", user_id="alice")
    theirs = remember(space, "Theirs", user_id="bob")
    shared = remember(space, "Shared", agent_id="bot")

    assert "name at least one" in refused(client.call("DELETE", "/v1/memories/"), 422)
    for wrong in ("{}", "alice", "{'user_id': {'ne': 'alice'}}", "{'NOT': 'x'}", "[" * 9000):
        answer = client.call("DELETE", "/v1/memories/", user_id="bob", filters=wrong)
        assert "filters: must be one object" in refused(answer, 422)
    both = client.call("DELETE", "/v1/memories/", user_id="bob", filters="{'user_id': 'alice'}")
    assert "two users" in refused(both, 422)
    both = client.call("DELETE", "/v1/memories/", agent_id="bot", filters="{'user_id': 'alice'}")
    assert told(both)["deleted"] == 0
    # Their typed options send this.
    told(client.call("DELETE", "/v1/memories/", filters="{'user_id': 'alice'}"))
    assert [stored(one).status for one in (mine, theirs, shared)] == ["binned", "live", "live"]
    told(client.call("DELETE", "/v1/memories/", agent_id="bot"))
    assert stored(shared).status == Status.BINNED


def test_users_agents_apps_and_runs_are_listed_and_deleted(client: Mem0, space: Space) -> None:
    remember(space, "First", user_id="alice", agent_id="bot", session_id="talk")
    remember(space, "Second", user_id="alice", metadata={"app_id": "a/b"})
    remember(space, "Third", user_id="bob")

    listed = told(client.call("GET", "/v1/entities/"))
    assert {(one["type"], one["name"], one["total_memories"]) for one in listed["results"]} == {
        ("user", "alice", 2),
        ("user", "bob", 1),
        ("agent", "bot", 1),
        ("run", "talk", 1),
        ("app", "a/b", 1),
    }
    told(client.call("DELETE", "/v2/entities/app/a%2Fb/"))
    assert client.texts({"user_id": "alice"}) == {"First"}
    told(client.call("DELETE", "/v2/entities/user/alice/"))
    names = {one["name"] for one in told(client.call("GET", "/v1/entities/"))["results"]}
    assert names == {"bob"}
    # As a client does that resets: each memory named several of these.
    assert told(client.call("DELETE", "/v2/entities/run/talk/"))["deleted"] == 0
    refused(client.call("DELETE", "/v2/entities/user/carol/"), 404)
    refused(client.call("DELETE", "/v2/entities/user/*/"), 404)
    refused(client.call("DELETE", "/v2/entities/thing/alice/"), 422)


@pytest.mark.parametrize(
    ("method", "path", "advice"),
    [
        ("POST", "/v1/feedback/", "feedback"),
        ("POST", "/v1/exports/", "GET /api/v1/export"),
        ("POST", "/v1/exports/get/", "GET /api/v1/export"),
        ("POST", "/v1/summary/", "summaries"),
        ("GET", "/v1/events/", "GET /mem0/v1/event/ID/"),
        ("GET", "/api/v1/webhooks/projects/home/", "/api/v1/webhooks"),
        ("PATCH", "/api/v1/orgs/organizations/ebb/projects/home/", "/api/v1/policy"),
        ("GET", "/v2/entities/user/alice/profile/", "no profiles"),
        ("POST", "/v2/profiles/jobs/", "no profiles"),
        ("GET", "/v2/profiles/settings/", "no profiles"),
    ],
)
def test_a_call_without_a_counterpart_says_so(
    client: Mem0, method: str, path: str, advice: str
) -> None:
    assert advice in refused(client.call(method, path, {"memory_id": "x"}), 501)


def test_unknown_calls_and_methods_are_answered_in_json(client: Mem0) -> None:
    assert "no counterpart" in refused(client.call("GET", "/v9/nonsense/"), 404)
    refused(client.call("PATCH", "/v1/memories/"), 405)
    refused(Mem0("wrong").call("GET", "/v9/nonsense/"), 401)
    refused(client.call("GET", "/"), 404)


@pytest.mark.stack
@pytest.mark.django_db(transaction=True)
def test_messages_are_queued_while_the_model_fails(
    model_web: Web, stub_model: StubModel, key: MakeKey, space: Space
) -> None:
    stub_model.script("500")
    body = {"messages": [{"role": "user", "content": ALLERGY}], "user_id": "alice"}
    headers = {"Authorization": f"Token {key()}"}
    answer = httpx2.post(
        f"{model_web.url}/mem0/v3/memories/add/", json=body, headers=headers, timeout=90
    )
    assert (answer.status_code, answer.json()["status"]) == (200, "PENDING")
    [row] = Assessment.objects.filter(space=space)
    assert (str(row.pk), row.user_id) == (answer.json()["event_id"], "alice")
    assert row.user_message == ALLERGY
