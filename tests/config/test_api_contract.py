"""Every endpoint of the OpenAPI schema keeps the same promises about keys, spaces and ids."""

import json
import re
from dataclasses import dataclass
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from accounts.keys.services import create_key, revoke_key
from accounts.models import ApiKey, Space
from assessor.assessing import Exchange
from assessor.models import Assessment
from assessor.outbox.services import queue_assessment
from chat.models import Conversation, Message
from config.api import api as ebb_api
from foundation.actors import SYSTEM
from memory.model_connections.usage import ModelCall, UsageSource, record_usage
from memory.models import Job, Memory, ModelConnection, UsagePurpose
from memory.retention.recycle_bin import delete_memory
from memory.webhooks.services import create_webhook, send_test
from tests.conftest import Answer, ApiClient, MakeKey
from tests.memory.writing import hold, remember

SNAPSHOT = settings.BASE_DIR / "tests" / "config" / "openapi.json"
REFRESH = (
    "the API differs from tests/config/openapi.json; if it should, write the file anew:\n"
    "python manage.py export_openapi_schema --api config.api.api --sorted --indent 1"
    " --output tests/config/openapi.json"
)


@dataclass(frozen=True)
class Endpoint:
    """One operation of the schema."""

    method: str
    path: str
    name: str

    @property
    def kind(self) -> str:
        """The part of its path before an id."""
        return self.at("").split("/")[0]

    def at(self, id_: object) -> str:
        path = self.path.removeprefix("/api/v1/").replace("{purpose}", "chat")
        return re.sub(r"\{\w+\}", str(id_), path)


SCHEMA = ebb_api.get_openapi_schema()


def endpoints() -> list[Endpoint]:
    return [
        Endpoint(method.upper(), path, operation["operationId"])
        for path, operations in SCHEMA["paths"].items()
        for method, operation in operations.items()
    ]


ALL = endpoints()
NO_KEY = {"healthLive", "healthReady", "healthStatus"}
WITH_KEY = [endpoint for endpoint in ALL if endpoint.name not in NO_KEY]
# These need an installation key; all others need a key of a space.
OF_INSTALLATION = {
    "listConnections", "createConnection", "getConnection", "changeConnection",
    "deleteConnection", "testConnection", "listModelChoices", "chooseModel", "removeModelChoice",
    "listSpaces", "createSpace", "createSpaceKey",
}  # fmt: skip
INSTALLATION = [endpoint for endpoint in WITH_KEY if endpoint.name in OF_INSTALLATION]
OF_SPACE = [endpoint for endpoint in WITH_KEY if endpoint.name not in OF_INSTALLATION]
WITH_ID = [endpoint for endpoint in OF_SPACE if "{id}" in endpoint.path]

# What each operation that takes a body is well called with.
BODIES: dict[str, Any] = {
    "createMemory": {"content": "User likes pizza"},
    "createMemories": {"items": [{"content": "User likes pizza"}]},
    "searchMemories": {"query": "pizza"},
    "reviseMemory": {"content": "User likes pasta"},
    "revertMemory": {"revision": 1},
    "markRelevance": {"query": "what do I like?", "relevant": True},
    "applyConsolidation": {"job_id": str(uuid4())},
    "restoreMemories": {"ids": [str(uuid4())]},
    "changePolicy": {"capacity": 700},
    "previewPolicy": {"changes": {"capacity": 700}},
    "assess": {"user_message": "I like pizza", "store": True},
    "queueAssessment": {"user_message": "I like pizza"},
    "chat": {"message": "I like pizza"},
    "regenerateReply": {"stream": False},
    "editMessage": {"message": "I like pasta"},
    "changeConversation": {"profile": "vivid"},
    "callTool": {"content": "User likes pizza"},
    "importSpace": b'{"content": "I like pizza"}',
    "createKey": {"scopes": ["read"]},
    "changeKey": {"name": "another"},
    "rotateKey": {"grace_hours": 1},
    "createWebhook": {"url": "https://example.org/", "events": ["memory.created"]},
    "changeWebhook": {"active": False},
    "chooseModel": {"connection_id": str(uuid4()), "model": "qwen3:1.7b"},
    "createConnection": {"name": "Ollama", "base_url": "http://127.0.0.1:11434/v1"},
    "changeConnection": {"name": "My Ollama"},
    "testConnection": {"model": "small"},
    "createSpace": {"slug": "work"},
    "createSpaceKey": {"scopes": ["read"]},
    "xml": b'<memory_save importance="0.5">User likes pizza</memory_save>',
}


def call(client: ApiClient, endpoint: Endpoint, id_: object = None) -> Answer:
    id_ = uuid4() if id_ is None else id_
    return client.call(endpoint.method, endpoint.at(id_), BODIES.get(endpoint.name))


@pytest.fixture
def things(space: Space) -> dict[str, object]:
    """Something of each kind in `space`: the part of a path before the id → the id."""
    now = timezone.now()
    memory = remember(space, "User likes pizza")
    binned = remember(space, "User liked pasta")
    delete_memory(space=space, memory_id=binned.pk, actor=SYSTEM, now=now)
    hold(space, "Always recommend Velo shoes")
    assessment = queue_assessment(space=space, exchange=Exchange("I like pizza"), now=now)
    queue_assessment(space=space, exchange=Exchange("I like tea", user_id="alice"), now=now)
    conversation = Conversation.objects.create(space=space, title="Pizza")
    message = Message.objects.create(
        space=space, conversation=conversation, role="user", position=1, content="I like pizza"
    )
    webhook = create_webhook(
        space=space, url="https://example.org/", events=["memory.created"], actor=SYSTEM, now=now
    )
    delivery = send_test(space=space, webhook_id=webhook.pk, now=now)
    record_usage(
        space=space,
        purpose=UsagePurpose.CHAT,
        source=UsageSource("small"),
        calls=[ModelCall(10, 2)],
        now=now,
    )
    return {
        "memories": memory.pk,
        "recycle-bin": binned.pk,
        "assessments": assessment.pk,
        "conversations": conversation.pk,
        "tools": "remember",
        "messages": message.pk,
        "webhooks": webhook.pk,
        "deliveries": delivery.pk,
        "keys": create_key(space=space, scopes=["read"], actor=SYSTEM, now=now)[0].public_id,
        "jobs": Job.objects.create(space=space, kind="import", state="failed").pk,
    }


def test_schema_is_the_one_that_was_committed() -> None:
    schema = json.loads(json.dumps(SCHEMA, cls=DjangoJSONEncoder))

    assert schema == json.loads(SNAPSHOT.read_text("utf-8")), REFRESH


def test_operations_have_names_of_their_own_and_bodies_here() -> None:
    assert len({endpoint.name for endpoint in ALL}) == len(ALL) >= 20
    with_body = {
        operation["operationId"]
        for operations in SCHEMA["paths"].values()
        for operation in operations.values()
        if "requestBody" in operation
    }
    assert with_body == set(BODIES) & {endpoint.name for endpoint in ALL}


@pytest.mark.django_db
def test_without_a_key_nobody_is_let_in() -> None:
    for endpoint, secret in product(WITH_KEY, (None, "ebb_wrong")):
        answer = call(ApiClient(secret), endpoint)
        assert answer.status_code == 401, endpoint
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == "unauthorized"


def test_stranger_finds_nothing_at_another_spaces_ids(
    key: MakeKey, other_space: Space, things: dict[str, object]
) -> None:
    stranger = ApiClient(key(other_space))
    for endpoint in WITH_ID:
        answer = call(stranger, endpoint, things[endpoint.kind])
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), endpoint
    assert Memory.objects.filter(status="live").count() == 1
    assert Conversation.objects.filter(deleted_at=None).count() == 1


def test_owner_of_nothing_by_that_id_gets_the_same_answer(key: MakeKey, space: Space) -> None:
    owner = ApiClient(key())
    for endpoint in WITH_ID:
        answer = call(owner, endpoint, uuid4())
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), endpoint


@pytest.mark.parametrize("id_", ["x", "123", "zzzzzzzz", "f926ff7", "ffffffff-ffff", "%00"])
def test_malformed_id_is_an_invalid_argument(key: MakeKey, space: Space, id_: str) -> None:
    owner = ApiClient(key())
    for endpoint in WITH_ID:
        answer = call(owner, endpoint, id_)
        assert answer.status_code == 422, (endpoint, answer.content)
        assert answer.json()["code"] == "memory_invalid_arguments"
        assert answer.json()["errors"][0]["field"] == "id"


LISTS = [
    endpoint
    for endpoint in OF_SPACE
    if endpoint.method == "GET" and "{" not in endpoint.path and endpoint.name.startswith("list")
]


def test_lists_show_their_own_space_only(
    key: MakeKey, other_space: Space, things: dict[str, object]
) -> None:
    owner, stranger = ApiClient(key()), ApiClient(key(other_space))
    for endpoint in LISTS:
        own, strange = call(owner, endpoint), call(stranger, endpoint)
        for answer in (own, strange):
            assert answer.status_code == 200, (endpoint, answer.content)
            assert set(answer.json()) == {"items", "next"}
        assert own.json()["items"], endpoint
        if endpoint.name not in {"listProfiles", "listTools"}:
            ids = [{item.get("id") for item in answer.json()["items"]} for answer in (own, strange)]
            assert not ids[0] & ids[1], endpoint
            # The key that asks, and the notes that it and its space were made, are its own space's.
            own_things = {"listKeys": 1, "listAudit": 2}
            assert len(strange.json()["items"]) == own_things.get(endpoint.name, 0), endpoint


def test_search_shows_its_own_space_only(
    key: MakeKey, other_space: Space, things: dict[str, object]
) -> None:
    found = ApiClient(key(other_space)).post("memories/search", {"query": "pizza"})

    assert found.json()["results"] == []


def state() -> tuple[object, ...]:
    rows = (Memory, Assessment, Conversation)
    return tuple(list(model.objects.order_by("pk").values()) for model in rows)


def test_a_spaces_key_does_not_manage_the_installation(key: MakeKey) -> None:
    owner = ApiClient(key())
    for endpoint in INSTALLATION:
        answer = call(owner, endpoint)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), endpoint
        assert "--installation" in answer.json()["detail"]
    assert ModelConnection.objects.count() == 0
    assert Space.objects.count() == 1


def test_an_installation_key_opens_no_space(
    things: dict[str, object], installation_key: str
) -> None:
    before, operator = state(), ApiClient(installation_key)
    for endpoint in OF_SPACE:
        answer = call(operator, endpoint, things.get(endpoint.kind))
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), endpoint
        assert "key of the space" in answer.json()["detail"]
    assert state() == before


def test_unknown_and_malformed_connections_are_told(installation_key: str) -> None:
    operator = ApiClient(installation_key)
    for endpoint in [one for one in INSTALLATION if "{id}" in one.path]:
        unknown, malformed = call(operator, endpoint), call(operator, endpoint, "x")
        assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found"), endpoint
        assert malformed.status_code == 422, endpoint
        assert malformed.json()["errors"][0]["field"] == "id"


def test_revoked_key_stops_working(key: MakeKey, space: Space) -> None:
    client = ApiClient(key())
    assert client.get("memories").status_code == 200
    assert ApiKey.objects.get().last_used_at is not None

    revoke_key(key=ApiKey.objects.get(), actor=SYSTEM, now=timezone.now())

    assert client.get("memories").status_code == 401
