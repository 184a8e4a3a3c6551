"""Connections and spaces over the API, by an installation key or an operator's session."""

import json
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.keys.installation_keys import (
    authenticate_installation,
    create_installation_key,
    revoke_installation_key,
)
from accounts.models import (
    Embedder,
    InstallationAuditEntry,
    InstallationKey,
    Membership,
    Space,
    User,
)
from foundation.actors import SYSTEM
from memory.embeddings import MINILM
from memory.model_connections.choosing import chosen_model, key_of
from memory.model_connections.embedding import provider_of
from memory.models import ModelChoice, ModelConnection, Purpose
from tests.conftest import ApiClient
from tests.stub_model import StubModel

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queue")]

SECRET = "sk-very-secret-and-long"


@pytest.fixture
def program(installation_key: str, space: Space) -> ApiClient:
    return ApiClient(installation_key)


@pytest.fixture
def connection(program: ApiClient, stub_model: StubModel) -> dict[str, Any]:
    body = {"name": "Stub", "base_url": stub_model.base_url, "key": SECRET, "price_prompt": 2.5}
    added = program.post("connections", body)
    assert added.status_code == 201, added.content
    found: dict[str, Any] = added.json()
    return found


def test_a_connection_is_added_read_changed_and_deleted(
    program: ApiClient, connection: dict[str, Any]
) -> None:
    assert (connection["has_key"], connection["price_prompt"]) == (True, 2.5)
    row = ModelConnection.objects.get(pk=connection["id"])
    assert key_of(row) == SECRET

    changed = program.patch(f"connections/{row.pk}", {"name": "Renamed", "price_prompt": None})
    assert changed.json()["name"] == "Renamed"
    row.refresh_from_db()
    assert (row.price_prompt, key_of(row)) == (None, SECRET)
    program.patch(f"connections/{row.pk}", {"key": ""})
    listed = program.get("connections").json()
    assert [(one["name"], one["has_key"]) for one in listed["items"]] == [("Renamed", False)]
    assert program.get(f"connections/{row.pk}").json() == listed["items"][0]

    assert program.delete(f"connections/{row.pk}").status_code == 204
    assert program.get("connections").json()["items"] == []
    told = InstallationAuditEntry.objects.order_by("pk").values_list("action", "actor_name")
    assert list(told)[1:] == [
        ("connection.added", "test"),
        ("connection.changed", "test"),
        ("connection.changed", "test"),
        ("connection.deleted", "test"),
    ]


def test_no_answer_contains_the_key(
    program: ApiClient, connection: dict[str, Any], stub_model: StubModel
) -> None:
    stub_model.script("401")
    path = f"connections/{connection['id']}"
    answers = [
        program.get("connections"),
        program.get(path),
        program.patch(path, {"key": SECRET}),
        program.post(f"{path}/test", {"model": "stub"}),
        program.patch(path, {"base_url": "http://127.0.0.9:1/v1"}),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 422]
    assert not any(SECRET in answer.text for answer in answers)
    assert answers[-1].json()["errors"][0]["field"] == "key"


def test_a_connection_is_tested(
    program: ApiClient, connection: dict[str, Any], stub_model: StubModel
) -> None:
    ready = json.dumps({"ready": True})
    stub_model.script("reply:ready", f"tool:report_ready:{ready}", f"reply:{ready}")
    path = f"connections/{connection['id']}"

    trial = program.post(f"{path}/test").json()

    assert trial["works"] is True
    assert trial["model"] in trial["models"]
    steps = ("reachable", "key", "streams", "tools", "format", "assess", "embeddings")
    assert [(check["name"], check["worked"]) for check in trial["checks"]] == [
        (name, True) for name in steps
    ]
    stub_model.script("401")
    assert program.post(f"{path}/test", {"model": "stub"}).json()["works"] is False
    assert "refused the API key" in program.get(path).json()["failure"]


def test_a_wrong_field_writes_nothing(program: ApiClient) -> None:
    for body in (
        {"name": "x", "base_url": "nowhere"},
        {"name": "x", "base_url": "http://127.0.0.1:1/v1", "price_prompt": -1},
        {"name": "x", "base_url": "http://127.0.0.1:1/v1", "keys": "misspelt"},
    ):
        assert program.post("connections", body).status_code == 422
    assert not ModelConnection.objects.exists()


def test_an_operators_session_works_and_another_users_does_not(
    connection: dict[str, Any], alice: User
) -> None:
    client = Client()
    client.force_login(alice)
    path = "/api/v1/connections"
    assert client.get(path).status_code == 403
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    Membership.objects.filter(user=alice).delete()  # an operator needs no space

    assert [one["name"] for one in client.get(path).json()["items"]] == ["Stub"]


def test_a_space_is_made_with_its_first_key(program: ApiClient) -> None:
    made = program.post("spaces", {"slug": "team", "language": "de"})
    assert made.status_code == 201, made.content
    assert (made.json()["slug"], made.json()["name"]) == ("team", "team")
    assert program.post("spaces", {"slug": "team"}).status_code == 422
    assert {one["slug"] for one in program.get("spaces").json()["items"]} == {"home", "team"}

    key = program.post("spaces/team/keys", {"scopes": ["read", "write"], "name": "app"})
    assert key.status_code == 201
    own = ApiClient(key.json()["secret"])
    assert own.post("memories", {"content": "User likes pizza"}).status_code == 201
    assert program.post("spaces/nowhere/keys", {"scopes": ["read"]}).status_code == 404
    assert program.post("spaces/team/keys", {"scopes": []}).status_code == 422


def test_an_installation_key_ends_with_its_time_or_its_revocation(space: Space) -> None:
    now = timezone.now()
    key, secret = create_installation_key(actor=SYSTEM, now=now, expires_at=now.replace(year=2100))
    assert authenticate_installation(secret=secret, now=now) == key
    assert authenticate_installation(secret=secret, now=now.replace(year=2101)) is None
    assert secret not in str(InstallationKey.objects.values())
    revoke_installation_key(key=key, actor=SYSTEM, now=now)
    assert ApiClient(secret).get("connections").status_code == 401


def test_an_installation_key_does_not_chat(installation_key: str, space: Space) -> None:
    client = Client(headers={"Authorization": f"Bearer {installation_key}"})

    assert client.get("/v1/models").status_code == 403


def test_the_command_prints_an_installation_key(space: Space) -> None:
    said = StringIO()
    call_command("create_api_key", "--installation", "--name", "terraform", stdout=said)
    secret = said.getvalue().strip()
    assert ApiClient(secret).get("spaces").status_code == 200
    with pytest.raises(CommandError, match="only --name and --expires-days"):
        call_command("create_api_key", "--installation", "--scopes", "read")
    with pytest.raises(CommandError):
        call_command("create_api_key", "--installation", "--space", "home")


def test_a_connection_that_embeds_is_not_deleted(
    program: ApiClient, connection: dict[str, Any], space: Space
) -> None:
    row = ModelConnection.objects.get(pk=connection["id"])
    embedder = Embedder.objects.create(provider=provider_of(row), model="small", dimensions=32)
    Space.objects.filter(pk=space.pk).update(next_embedder=embedder)

    answer = program.delete(f"connections/{row.pk}")

    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert ModelConnection.objects.exists()


def test_private_addresses_are_refused_when_connecting(
    program: ApiClient, connection: dict[str, Any], stub_model: StubModel, settings: Settings
) -> None:
    settings.EBB_PRIVATE_ENDPOINTS = False

    answer = program.post(f"connections/{connection['id']}/test", {"model": "stub"})

    assert answer.status_code == 422
    assert stub_model.requests == []


def choices(program: ApiClient, query: str = "") -> dict[str, tuple[str, str | None, str]]:
    """The model in effect by purpose: its name, its connection and who set it."""
    items = program.get(f"model-choices{query}").json()["items"]
    return {one["purpose"]: (one["model"], one["connection"], one["set_by"]) for one in items}


def test_models_are_chosen_for_all_spaces_and_for_one(
    program: ApiClient, connection: dict[str, Any], space: Space, other_space: Space
) -> None:
    built_in = choices(program)
    assert built_in["chat"] == built_in["assess"] == ("", None, "built_in")
    body = {"connection_id": connection["id"], "model": "large"}
    assert program.patch("model-choices/chat", body).json()["set_by"] == "installation"
    own = program.patch(f"model-choices/chat?space={space.slug}", {**body, "model": "small"})
    assert (own.status_code, own.json()["set_by"]) == (200, "space")

    chosen = [chosen_model(Purpose.CHAT, one) for one in (space, other_space)]
    assert [one.model for one in chosen if one] == ["small", "large"]
    assert choices(program)["chat"] == ("large", "Stub", "installation")
    assert choices(program, f"?space={space.slug}") == {
        "chat": ("small", "Stub", "space"),
        "assess": ("", None, "built_in"),
    }
    assert program.delete(f"model-choices/chat?space={space.slug}").status_code == 204
    assert choices(program, f"?space={space.slug}")["chat"][2] == "installation"
    assert program.delete(f"model-choices/chat?space={space.slug}").status_code == 404


def test_the_environment_comes_before_a_choice(
    program: ApiClient, connection: dict[str, Any], settings: Settings
) -> None:
    settings.OPENAI_BASE_URL, settings.EBB_CHAT_MODEL = (
        "http://127.0.0.1:1/v1",
        "of-the-environment",
    )
    body = {"connection_id": connection["id"], "model": "large"}

    answer = program.patch("model-choices/chat", body).json()

    assert (answer["model"], answer["set_by"]) == ("of-the-environment", "environment")
    assert answer["connection"] is None


@pytest.mark.usefixtures("remote_embedders")
def test_new_spaces_start_with_the_chosen_embedding_model(
    program: ApiClient, connection: dict[str, Any], space: Space, stub_model: StubModel
) -> None:
    body = {"connection_id": connection["id"], "model": "stub-64"}

    answer = program.patch("model-choices/embed", body)

    assert (answer.status_code, answer.json()["set_by"]) == (200, "installation")
    assert stub_model.embedding_requests
    assert program.post("spaces", {"slug": "work"}).json()["embedding_model"] == "stub-64"
    made = Space.objects.select_related("embedder").get(slug="work").embedder
    assert made.provider == provider_of(ModelConnection.objects.get())
    space.refresh_from_db()
    assert space.embedder.provider == "local"  # a space that is there stays as it is
    stub_model.script_embeddings("404")
    assert program.patch("model-choices/embed", body).status_code == 503  # known, and asked again
    program.delete("model-choices/embed")
    assert program.post("spaces", {"slug": "more"}).json()["embedding_model"] == MINILM


def test_an_embedding_model_that_does_not_answer_is_not_chosen(
    program: ApiClient, connection: dict[str, Any], space: Space, stub_model: StubModel
) -> None:
    before = choices(program)
    stub_model.script_embeddings("404")
    body = {"connection_id": connection["id"], "model": "stub-64"}

    assert program.patch("model-choices/embed", body).status_code == 503
    of_one = program.patch(f"model-choices/embed?space={space.slug}", body)

    assert [one["field"] for one in of_one.json()["errors"]] == ["purpose"]
    assert choices(program) == before
    assert not ModelChoice.objects.exists()


def test_a_wrong_choice_writes_nothing(
    program: ApiClient, connection: dict[str, Any], stub_model: StubModel
) -> None:
    right = {"connection_id": connection["id"], "model": "large"}
    unknown = {"connection_id": str(uuid4()), "model": "large"}

    assert program.patch("model-choices/chat", unknown).status_code == 404
    assert program.patch("model-choices/embed", unknown).status_code == 404
    assert program.patch("model-choices/chat?space=nowhere", right).status_code == 404
    assert program.patch("model-choices/poetry", right).status_code == 422
    for wrong in ({**right, "model": " "}, {**right, "connection_id": "x"}, {"model": "large"}):
        assert program.patch("model-choices/chat", wrong).status_code == 422
    assert not ModelChoice.objects.exists()
    assert stub_model.embedding_requests == []


@pytest.mark.usefixtures("remote_embedders")
def test_the_environments_embedding_model_comes_before_the_chosen_one(
    program: ApiClient, connection: dict[str, Any], settings: Settings, stub_model: StubModel
) -> None:
    body = {"connection_id": connection["id"], "model": "stub-64"}
    program.patch("model-choices/embed", body)
    settings.MODEL_VARIABLES = {"EBB_EMBEDDING_MODEL": "EBB_EMBEDDING_MODEL"}

    assert choices(program)["embed"] == (MINILM, None, "environment")
    assert program.post("spaces", {"slug": "work"}).json()["embedding_model"] == MINILM
