"""No call of the API shows one user of a space what another one said, or changes it.

The calls are those of the OpenAPI document, so a new one is held to it without being named.
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.keys.services import create_key
from accounts.models import Space
from assessor.models import Assessment
from foundation.actors import SYSTEM
from foundation.readers import EVERYONE, Reader
from memory.models import Memory, MemoryEvent
from memory.transfer.export import export_lines
from tests.config.callers import undone
from tests.config.test_api_contract import BODIES, SCHEMA, WITH_ID, WITH_KEY, Endpoint, call
from tests.conftest import Answer, ApiClient, MakeKey
from tests.memory.users_of_a_space import WORD, OfAlice, alice_said, rows_of_alice
from tests.memory.writing import NOW, remember, stored
from tests.processes import queue

__all__ = ["queue"]

pytestmark = pytest.mark.usefixtures("queue")

OF_THE_SPACE = {"jobs", "keys", "tools", "webhooks"}
"""Kinds that belong to no user."""
WRITES_REPLIES = {"chat", "editMessage", "regenerateReply"}
"""They read what they have committed, on another connection."""
OF_ALL = {"sweep"}
"""Calls of an administrator on the whole space."""


def operations(chosen: list[Endpoint]) -> pytest.MarkDecorator:
    """Tests with these calls, one after another on the same rows, and with each of those that
    commit on rows of its own."""
    commits = [pytest.mark.django_db(transaction=True)]
    cases = [
        pytest.param([one], id=one.name, marks=commits)
        for one in chosen
        if one.name in WRITES_REPLIES
    ]
    others = [one for one in chosen if one.name not in WRITES_REPLIES]
    return pytest.mark.parametrize("endpoints", [*cases, pytest.param(others, id="the others")])


def alone(endpoint: Endpoint) -> AbstractContextManager[None]:
    """Undoes what a call wrote, if others come after it."""
    return nullcontext() if endpoint.name in WRITES_REPLIES else undone()


HERS = [one for one in WITH_ID if one.kind not in OF_THE_SPACE]

Caller = Callable[[Endpoint, object], Answer]


@pytest.fixture
def hers(space: Space) -> OfAlice:
    return alice_said(space)


def of_user(space: Space, user_id: str, scopes: tuple[str, ...] = ("read", "write")) -> ApiClient:
    """A program whose key is bound to this user."""
    _key, secret = create_key(
        space=space, scopes=scopes, user_id=user_id, actor=SYSTEM, now=timezone.now()
    )
    return ApiClient(secret)


@pytest.fixture(params=["a key of Bob", "a key that names Bob", "a key that names nobody"])
def caller(request: pytest.FixtureRequest, space: Space, key: MakeKey) -> Caller:
    """Calls for Bob in each way that a program may."""
    if request.param == "a key of Bob":
        bound = of_user(space, "bob")
        return lambda endpoint, id_: call(bound, endpoint, id_)
    client = ApiClient(key())
    headers = {"X-Ebb-User": "bob"} if request.param == "a key that names Bob" else None

    def named(endpoint: Endpoint, id_: object) -> Answer:
        body = BODIES.get(endpoint.name)
        return client.call(endpoint.method, endpoint.at(id_), body, headers=headers)

    return named


def text_of(answer: Answer) -> str:
    return "" if answer.streaming else answer.content.decode()


@operations(WITH_KEY)
def test_no_answer_has_a_word_of_another_user(
    hers: OfAlice, caller: Caller, endpoints: list[Endpoint]
) -> None:
    before = rows_of_alice()
    for endpoint in endpoints:
        with alone(endpoint):
            default = "remember" if endpoint.kind == "tools" else "x"
            answer = caller(endpoint, hers.ids.get(endpoint.kind, default))
            assert WORD not in text_of(answer), endpoint
            assert endpoint.name in OF_ALL or rows_of_alice() == before, endpoint


@operations(HERS)
def test_a_users_things_do_not_exist_for_others(
    hers: OfAlice, key: MakeKey, endpoints: list[Endpoint]
) -> None:
    client = ApiClient(key())
    for endpoint in endpoints:
        path = endpoint.at(hers.ids[endpoint.kind])
        for headers in ({"X-Ebb-User": "bob"}, None):
            answer = client.call(endpoint.method, path, BODIES.get(endpoint.name), headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), endpoint


@pytest.mark.parametrize("user_id", ["alice", "*"])
@operations(HERS)
def test_a_user_reaches_what_is_theirs(
    hers: OfAlice, key: MakeKey, endpoints: list[Endpoint], user_id: str
) -> None:
    """Otherwise the other tests would pass for calls that find nothing at all."""
    client, query = ApiClient(key()), {"user_id": user_id}
    for endpoint in endpoints:
        path, body = endpoint.at(hers.ids[endpoint.kind]), BODIES.get(endpoint.name)
        with alone(endpoint):
            answer = client.call(endpoint.method, path, body, query=query)
            assert answer.status_code != 404, (endpoint, answer.content)


def test_every_operation_says_in_one_place_that_it_takes_a_user() -> None:
    schema = json.loads(json.dumps(SCHEMA, default=str))
    for operations in schema["paths"].values():
        for operation in operations.values():
            refs = {parameter.get("$ref") for parameter in operation.get("parameters", [])}
            in_query = "#/components/parameters/UserId" in refs
            in_body = "user_id" in _fields_of_body(operation, schema)
            # A call about the whole installation takes none.
            if {"SessionAccess": []} in operation["security"]:
                assert in_query or in_body, operation["operationId"]
            if operation["operationId"] not in {"createKey", "createSpaceKey", "reviseMemory"}:
                assert not (in_query and in_body), operation["operationId"]


def _fields_of_body(operation: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
    fields: dict[str, Any] = schema["components"]["schemas"].get(name, {}).get("properties", {})
    return fields


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, {"Shared"}),
        ({"user_id": "alice"}, {"Shared", "Hers"}),
        ({"user_id": "bob"}, {"Shared", "His"}),
        ({"user_id": "nobody"}, {"Shared"}),
        ({"user_id": "*"}, {"Shared", "Hers", "His"}),
    ],
)
def test_a_request_sees_its_user_and_what_is_shared(
    space: Space, key: MakeKey, query: dict[str, str], found: set[str]
) -> None:
    for content, user_id in (("Shared", None), ("Hers", "alice"), ("His", "bob")):
        remember(space, content, user_id=user_id)
    client = ApiClient(key())

    listed = client.get("memories", **query).json()["items"]
    searched = client.post("memories/search", {"query": "what?", "limit": 9, **query})
    told = client.get("history", **query).json()["items"]

    assert {one["content"] for one in listed} == found
    assert {one["memory"]["content"] for one in searched.json()["results"]} == found
    assert {one["content"] for one in told} == found
    assert client.get("stats", **query).json()["by_status"]["live"] == len(found)


def test_everybody_needs_the_scope_admin(space: Space, key: MakeKey) -> None:
    answer = ApiClient(key(scopes=["read", "write"])).get("memories", user_id="*")

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


def test_a_key_of_one_user_acts_for_this_user_only(space: Space) -> None:
    remember(space, "Hers", user_id="alice")
    client = of_user(space, "bob")

    made = client.post("memories", {"content": "User likes tea"}).json()
    assert made["user_id"] == "bob"
    assert [one["content"] for one in client.get("memories").json()["items"]] == ["User likes tea"]
    assert client.get("memories", user_id="bob").status_code == 200
    refused = [
        client.get("memories", user_id="alice"),
        client.get("memories", user_id="*"),
        client.call("GET", "memories", headers={"X-Ebb-User": "alice"}),
        client.post("memories", {"content": "x", "user_id": "alice"}),
        client.post("memories/batch", {"items": [{"content": "x", "user_id": "alice"}]}),
        client.post("memories/search", {"query": "x", "user_id": "alice"}),
        client.post("tools/remember", {"content": "x", "user_id": "alice"}),
        client.post("assess", {"user_message": "x", "user_id": "alice"}),
        client.post("chat", {"message": "x", "user_id": "alice"}),
    ]
    assert [(one.status_code, one.json()["code"]) for one in refused] == [(403, "forbidden")] * 9
    assert Memory.objects.filter(user_id="alice").count() == 1


def test_the_command_makes_a_key_for_one_user(
    space: Space, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("create_api_key", space=space.slug, scopes="read,write", user="bob")
    client = ApiClient(capsys.readouterr().out.strip())

    assert client.post("memories", {"content": "User likes tea"}).json()["user_id"] == "bob"
    with pytest.raises(CommandError, match="scope admin"):
        call_command("create_api_key", space=space.slug, scopes="admin", user="bob")


def test_a_key_of_one_user_cannot_administer(space: Space, key: MakeKey) -> None:
    body = {"scopes": ["read", "admin"], "user_id": "bob"}

    answer = ApiClient(key()).post("keys", body)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "user_id"


@pytest.mark.parametrize("name", ["", " ", "a" * 256, "a\nb", "a\x7fb", "a\u202eb", "*"])
def test_a_user_needs_a_plain_name(space: Space, key: MakeKey, name: str) -> None:
    answer = ApiClient(key()).post("memories", {"content": "User likes tea", "user_id": name})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "user_id"
    assert not Memory.objects.exists()


def test_a_request_that_names_two_users_is_refused(space: Space, key: MakeKey) -> None:
    body = {"content": "User likes tea", "user_id": "alice"}

    answer = ApiClient(key()).post("memories", body, headers={"X-Ebb-User": "bob"})

    assert answer.status_code == 422
    assert not Memory.objects.exists()


def test_names_may_be_of_any_script(space: Space, key: MakeKey) -> None:
    headers = {"X-Ebb-User": "李雷".encode().decode("latin-1")}

    made = ApiClient(key()).post("memories", {"content": "User likes tea"}, headers=headers)

    assert made.json()["user_id"] == "李雷"


def test_a_user_reads_a_shared_memory_and_does_not_change_it(space: Space, key: MakeKey) -> None:
    memory, client = remember(space, "User likes tea"), ApiClient(key())
    path, query = f"memories/{memory.pk}", {"user_id": "bob"}

    refused = [
        client.call("PATCH", path, {"content": "User hates tea"}, query=query),
        client.call("DELETE", path, query=query),
        client.call("POST", f"{path}/relevance", BODIES["markRelevance"], query=query),
        client.call("POST", "tools/forget", {"memory_id": memory.short_id}, query=query),
    ]

    assert client.get(path, **query).json()["content"] == "User likes tea"
    assert [one.status_code for one in refused] == [403] * 4
    assert stored(memory) == memory
    assert MemoryEvent.objects.count() == 1


def test_an_administrator_gives_a_memory_to_another_user(space: Space, key: MakeKey) -> None:
    memory = remember(space, "User likes tea", user_id="alice")
    path, query = f"memories/{memory.pk}", {"user_id": "alice"}
    body = {"user_id": "bob"}

    refused = ApiClient(key(scopes=["read", "write"])).call("PATCH", path, body, query=query)
    given = ApiClient(key()).call("PATCH", path, body, query=query)

    assert refused.status_code == 403
    assert given.json()["user_id"] == "bob"
    assert ApiClient(key()).get(path, **query).status_code == 404
    shared = ApiClient(key()).call("PATCH", path, {"user_id": None}, query={"user_id": "bob"})
    assert shared.json()["user_id"] is None


def test_two_users_may_choose_the_same_idempotency_key(space: Space, key: MakeKey) -> None:
    client, headers = ApiClient(key()), {"Idempotency-Key": "1"}

    def say(path: str, body: dict[str, str]) -> str:
        return str(client.post(path, body, headers=headers).json()["id"])

    for path, text in (("memories", "content"), ("assessments", "user_message")):
        ids = {
            user: say(path, {text: f"User is {user}", "user_id": user}) for user in ("alice", "bob")
        }
        assert ids["alice"] != ids["bob"]
        assert say(path, {text: "User is alice", "user_id": "alice"}) == ids["alice"]
    assert Memory.objects.count() == Assessment.objects.count() == 2


def test_an_export_has_what_its_reader_sees(space: Space, hers: OfAlice) -> None:
    def exported(reader: Reader) -> str:
        return "".join(export_lines(space, reader, now=NOW))

    assert WORD not in exported(Reader("bob"))
    assert WORD not in exported(Reader())
    kinds = [json.loads(line).get("kind") for line in exported(Reader("alice")).splitlines()]
    assert {"memory", "revision", "event", "assessment", "conversation", "message"} <= set(kinds)
    assert exported(EVERYONE).count(WORD) == exported(Reader("alice")).count(WORD) > 0


def test_an_import_for_a_user_is_theirs(space: Space, key: MakeKey) -> None:
    client, query = ApiClient(key()), {"user_id": "alice"}

    client.call("POST", "import", b'{"content": "I like pizza"}', query=query)

    assert Memory.objects.get().user_id == "alice"
