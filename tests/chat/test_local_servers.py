"""Ebb finds the model servers of this machine, and connects one with a click."""

import json
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import Space, User
from chat.connections import local_servers
from chat.tasks import try_tools
from memory.model_connections import presets
from memory.model_connections.presets import PRESETS
from memory.models import ModelChoice, ModelConnection
from tests.chat.asking import ask
from tests.conftest import Answer, MakeKey
from tests.stub_model import StubModel

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queue")]


@pytest.fixture
def nearby(stub_model: StubModel, monkeypatch: pytest.MonkeyPatch) -> StubModel:
    """The stub at the usual port of the one local server that Ebb knows."""
    at_stub = replace(PRESETS["llamacpp"], base_url=f"http://localhost:{stub_model.port}/v1")
    known = {name: one for name, one in PRESETS.items() if "localhost" not in one.base_url}
    for module in (local_servers, presets):
        monkeypatch.setattr(module, "PRESETS", {**known, "llamacpp": at_stub})
    return stub_model


@pytest.fixture
def client(space: Space, alice: User) -> Client:
    caches["process"].clear()
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    client = Client()
    client.force_login(alice)
    return client


def found(client: Client) -> str:
    answer: Answer = client.get(reverse("connections_found", args=["home"]))
    assert answer.status_code == 200
    return answer.text


def connect(client: Client, base_url: str, model: str = "stub") -> Answer:
    fields = {"base_url": base_url, "preset": "llamacpp", "model": model}
    answer: Answer = client.post(reverse("connection_connect", args=["home"]), fields, follow=True)
    return answer


def test_a_server_is_offered_until_it_is_connected(client: Client, nearby: StubModel) -> None:
    page = found(client)
    assert "llama.cpp runs on this machine" in page
    assert "<option>stub</option>" in page
    assert nearby.requests == []

    page = connect(client, nearby.base_url).text

    assert "Connection added: llama.cpp" in page
    assert 'hx-trigger="load, submit"' in page
    connection = ModelConnection.objects.get()
    assert (connection.preset, connection.base_url) == ("llamacpp", nearby.base_url)
    chosen = ModelChoice.objects.filter(space=None).values_list("purpose", "model")
    assert dict(chosen) == {"chat": "stub", "assess": "stub"}
    assert found(client).strip() == ""
    assert "already connected" in connect(client, nearby.base_url).text
    assert ModelConnection.objects.count() == 1


def test_a_choice_that_was_made_stays(client: Client, nearby: StubModel) -> None:
    other = ModelConnection.objects.create(name="LLAMA.CPP", base_url="https://example.org/v1")
    ModelChoice.objects.create(purpose="chat", connection=other, model="large")

    assert "Connection added: llama.cpp (http://127.0.0.1:" in connect(client, nearby.base_url).text

    chosen = dict(ModelChoice.objects.values_list("purpose", "model"))
    assert chosen == {"chat": "large", "assess": "stub"}


def test_only_this_machine_is_asked_and_only_if_allowed(
    client: Client, nearby: StubModel, settings: Settings
) -> None:
    assert {urlsplit(one).hostname for one in local_servers.local_addresses()} == {"127.0.0.1"}
    assert "already connected" in connect(client, "http://127.0.0.1:9/v1").text
    settings.EBB_PORT = nearby.port
    assert local_servers.local_addresses() == []
    settings.EBB_PORT, settings.EBB_PRIVATE_ENDPOINTS = 8000, False
    assert found(client).strip() == ""
    settings.EBB_PRIVATE_ENDPOINTS, settings.OPENAI_BASE_URL = True, nearby.base_url
    assert found(client).strip() == ""


def test_a_proxy_is_not_asked(
    client: Client, nearby: StubModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert local_servers.local_addresses() == []
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert local_servers.local_addresses() == [nearby.base_url]


def test_a_server_that_wants_a_key_is_not_offered(client: Client, nearby: StubModel) -> None:
    nearby.script_models("401")
    assert found(client).strip() == ""


def test_only_operators_search(client: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_superuser=False)
    assert client.get(reverse("connections_found", args=["home"])).status_code == 403
    assert connect(client, "http://127.0.0.1:9/v1").status_code == 403


@pytest.mark.parametrize(
    ("port", "owner", "name"),
    [
        (8080, "llamacpp", "llamacpp"),
        (8080, "", "localai"),
        (1234, "organization_owner", "lmstudio"),
        (1234, "llamacpp", "llamacpp"),
        (11434, "library", "ollama"),
        (11434, "someone", "ollama"),
        (8000, "vllm", "vllm"),
        (5001, "koboldcpp", "koboldcpp"),
        (1337, "", "jan"),
    ],
)
def test_the_owner_of_its_models_names_a_server(port: int, owner: str, name: str) -> None:
    kind = local_servers._kind(f"http://127.0.0.1:{port}/v1", {"owned_by": owner})
    assert kind.name == name


def test_an_untried_model_gets_tools_once_its_trial_is_passed(
    client: Client, space: Space, nearby: StubModel, key: MakeKey
) -> None:
    connect(client, nearby.base_url)
    secret = key()

    def tools_of_a_reply() -> int:
        ask(secret, space, "/api/v1/chat", {"message": "hello"})
        return len(nearby.requests[-1].body.get("tools", []))

    assert tools_of_a_reply() == 0
    nearby.script("reply:no")
    try_tools(space.pk, "")
    assert tools_of_a_reply() == 0
    nearby.script("tool:report_ready:" + json.dumps({"ready": True}))
    try_tools(space.pk, "")
    assert tools_of_a_reply() == 4


@pytest.mark.parametrize(("able", "said"), [(True, "uses the memory"), (False, "gets no memory")])
def test_the_trial_says_how_well_the_model_fits(
    client: Client, nearby: StubModel, able: bool, said: str
) -> None:
    connect(client, nearby.base_url)
    ready = json.dumps({"ready": True})
    nearby.script("reply:ready", f"tool:report_ready:{ready}" if able else "ok", f"reply:{ready}")
    address = reverse("connection_try", args=["home", ModelConnection.objects.get().pk])
    assert said in client.post(address, {"model": "stub"}).text
