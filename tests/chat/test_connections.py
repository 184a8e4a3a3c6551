"""The models page: connections are added, tested and chosen there, and work at once."""

import json
import re
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from assessor import tasks
from assessor.assessing import Exchange
from assessor.outbox import services
from memory.embeddings.embedders import configured_embedder
from memory.models import ModelChoice, ModelConnection
from tests.assessor.outbox import again
from tests.chat.asking import ask
from tests.conftest import Answer, MakeKey
from tests.stub_model import StubModel

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queue")]

SECRET = "sk-very-secret-and-long"


@pytest.fixture
def client(space: Space, alice: User) -> Client:
    """alice's browser. She owns `space` and is an operator."""
    caches["process"].clear()
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    client = Client()
    client.force_login(alice)
    return client


def post(client: Client, url_name: str, *args: Any, **fields: str) -> Answer:
    answer: Answer = client.post(reverse(url_name, args=["home", *args]), fields, follow=True)
    return answer


@pytest.fixture
def connection(client: Client, stub_model: StubModel) -> ModelConnection:
    fields = {"name": "Stub", "base_url": stub_model.base_url, "key": SECRET}
    prices = {"price_prompt": "1000000", "price_completion": "1000000"}
    added = post(client, "connection_add", **fields, **prices)
    assert added.status_code == 200
    assert "Connection added: Stub" in added.text
    assert SECRET not in added.text
    return ModelConnection.objects.get()


def choose(client: Client, connection: ModelConnection, purpose: str, where: str = "all") -> Answer:
    fields = {"connection": str(connection.pk), "model": "stub", "where": where}
    return post(client, "model_choose", purpose=purpose, **fields)


def say(secret: str, space: Space, message: str) -> Answer:
    """The answer of POST chat in one event loop, whose connections to the model are closed."""
    return ask(secret, space, "/api/v1/chat", {"message": message})[0]


def test_a_chosen_model_answers_at_once_everywhere(
    client: Client,
    space: Space,
    connection: ModelConnection,
    key: MakeKey,
    stub_model: StubModel,
) -> None:
    secret = key()
    before = say(secret, space, "I like tea").json()
    assert stub_model.requests == []

    assert "Model chosen." in choose(client, connection, "chat").text

    after = say(secret, space, "I like tea").json()
    assert (before["model"], after["model"]) == ("built-in", "stub")
    assert after["reply"].startswith("You said: I like tea")
    assert stub_model.requests[-1].authorization == f"Bearer {SECRET}"
    page = client.get(reverse("models", args=["home"])).text
    assert "chosen for all spaces" in page
    assert SECRET not in page


def test_a_chosen_model_assesses_at_the_connections_prices(
    client: Client, space: Space, connection: ModelConnection, stub_model: StubModel
) -> None:
    choose(client, connection, "assess", "space")
    exchange = Exchange("I moved to Lisbon and work as a nurse there", "Noted.")
    row = services.queue_assessment(space=space, exchange=exchange, now=timezone.now())

    tasks.assess(space.pk, str(row.pk))

    done = again(row)
    assert (done.provider, done.model) == ("llm", "stub")
    assert done.tokens
    assert done.cost_usd == done.tokens


def test_a_failing_connection_says_so_until_it_works_again(
    client: Client,
    space: Space,
    connection: ModelConnection,
    key: MakeKey,
    stub_model: StubModel,
) -> None:
    choose(client, connection, "chat")
    secret = key()
    stub_model.script("401")
    assert say(secret, space, "Hello").status_code >= 400
    connection.refresh_from_db()
    assert "refused the API key" in connection.failure
    assert "Failing since" in client.get(reverse("models", args=["home"])).text
    assert "refused the API key" in client.get(reverse("health_parts", args=["home"])).text
    chinese = {"accept-language": "zh-hans"}
    stub_model.script_models("500")
    test = reverse("connection_try", args=["home", connection.pk])
    assert client.post(test, headers=chinese).status_code == 200
    connection.refresh_from_db()
    assert connection.failure.startswith("The model's endpoint returned an error.")
    page = client.get(reverse("models", args=["home"]), headers=chinese).text
    assert page.count("模型的端点出错了") == 1

    assert say(secret, space, "Hello").status_code == 200
    connection.refresh_from_db()
    assert (connection.failure, connection.failing_since) == ("", None)


def test_a_test_tells_each_step(
    client: Client, connection: ModelConnection, stub_model: StubModel
) -> None:
    ready = json.dumps({"ready": True})
    stub_model.script("reply:ready", f"tool:report_ready:{ready}", f"reply:{ready}")

    said = post(client, "connection_try", connection.pk, model="stub").text

    steps = re.findall(r'<span class="grow">([\w ]+): <bdi>(.*?)</bdi>', said)
    assert [name for name, _ in steps] == [
        "Reachable",
        "Key",
        "Streaming",
        "Tools",
        "Structured answers",
        "Assessment",
        "Embeddings",
    ]
    assert dict(steps)["Structured answers"] == "Format: json_schema, strict."
    assert dict(steps)["Tools"] == "The model called a tool."
    assert dict(steps)["Embeddings"] == "32 dimensions, by stub."


def test_an_endpoint_without_embeddings_still_works(
    client: Client, connection: ModelConnection, stub_model: StubModel
) -> None:
    stub_model.script_embeddings("404")

    said = post(client, "connection_try", connection.pk, model="stub").text

    assert re.search(r"Embeddings: <bdi>.*does not know", said)
    connection.refresh_from_db()
    assert connection.failure == ""


def test_a_test_that_fails_is_recorded(
    client: Client, connection: ModelConnection, stub_model: StubModel
) -> None:
    stub_model.script("401")
    said = post(client, "connection_try", connection.pk, model="stub").text
    assert "refused the API key" in said
    connection.refresh_from_db()
    assert connection.failing_since is not None
    assert SECRET not in said


def test_the_endpoints_models_are_listed_for_the_choice(
    client: Client, connection: ModelConnection
) -> None:
    said = post(client, "connection_models", connection.pk).text
    assert f'<select class="select" id="model-{connection.pk}" name="model"><option>' in said


def test_a_wrong_field_is_said_beside_it(client: Client, connection: ModelConnection) -> None:
    added = post(client, "connection_add", name="Other", base_url="nowhere", price_prompt="0,5")
    assert added.status_code == 422
    assert "must be a number, 0 or more" in added.text
    added = post(client, "connection_add", name="Other", base_url="nowhere", key=SECRET)
    assert "must start with http:// or https://" in added.text
    assert SECRET not in added.text
    moved = post(
        client, "connection_change", connection.pk, name="Stub", base_url="http://127.0.0.2:1/v1"
    )
    assert "must be entered again, because the address changed" in moved.text
    assert ModelConnection.objects.count() == 1


def test_an_empty_key_keeps_the_stored_one_unless_it_is_removed(
    client: Client, connection: ModelConnection
) -> None:
    fields = {"name": "Renamed", "base_url": connection.base_url}
    assert "Connection saved." in post(client, "connection_change", connection.pk, **fields).text
    connection.refresh_from_db()
    assert (connection.name, connection.sealed_key != "") == ("Renamed", True)
    post(client, "connection_change", connection.pk, **fields, no_key="yes")
    connection.refresh_from_db()
    assert connection.sealed_key == ""
    post(client, "connection_delete", connection.pk)
    assert not ModelConnection.objects.exists()


def test_a_preset_fills_the_form(client: Client, space: Space) -> None:
    form = client.get(reverse("connection_form", args=["home"]), {"preset": "ollama"}).text
    assert 'value="http://localhost:11434/v1"' in form
    assert "This server usually needs no key." in form


def test_only_operators_manage_connections_and_owners_choose_for_their_space(
    client: Client, connection: ModelConnection, alice: User, bob: User
) -> None:
    User.objects.filter(pk=alice.pk).update(is_superuser=False, is_staff=True)
    viewer = Client()
    viewer.force_login(bob)
    choices = ((client, "all", 403), (viewer, "space", 403), (viewer, "all", 403))
    for one, where, status in choices:
        assert choose(one, connection, "chat", where).status_code == status
    for one in (client, viewer):
        for name in ("connection_change", "connection_delete", "connection_try"):
            assert post(one, name, connection.pk, name="x").status_code == 403
        assert post(one, "connection_add", name="x", base_url="http://x/").status_code == 403
        page = one.get(reverse("models", args=["home"]))
        assert page.status_code == 200
        assert "Add connection" not in page.text
    assert not ModelChoice.objects.exists()
    assert choose(client, connection, "chat", "space").status_code == 200
    assert ModelChoice.objects.get().space is not None
    assert post(client, "model_unchoose", purpose="chat", where="space").status_code == 200
    assert not ModelChoice.objects.exists()


def test_the_page_says_which_model_assesses_and_its_cost(
    client: Client, connection: ModelConnection
) -> None:
    choose(client, connection, "assess")

    page = client.get(reverse("models", args=["home"])).text
    assert "$1000000.00 per million prompt tokens, $1000000.00 per million answer tokens" in page

    ModelConnection.objects.update(price_prompt=None)
    page = client.get(reverse("models", args=["home"])).text
    assert "Unknown: set the prices of the connection." in page


@pytest.mark.usefixtures("remote_embedders")
def test_operators_choose_the_embeddings_of_new_spaces(
    client: Client, space: Space, connection: ModelConnection, stub_model: StubModel, bob: User
) -> None:
    fields = {"connection": str(connection.pk), "model": "stub-32", "purpose": "embed"}

    page = post(client, "model_choose", where="all", **fields).text

    assert "Model chosen." in page
    assert "chosen for new spaces" in page
    assert configured_embedder().model == "stub-32"
    owner = Client()
    owner.force_login(bob)
    assert post(owner, "model_choose", where="space", **fields).status_code == 403
    assert post(client, "model_unchoose", purpose="embed", where="all").status_code == 200
    assert configured_embedder().provider == "local"


def test_a_model_that_makes_no_vectors_is_not_chosen_for_new_spaces(
    client: Client, space: Space, connection: ModelConnection, stub_model: StubModel
) -> None:
    stub_model.script_embeddings("404")
    fields = {"connection": str(connection.pk), "model": "stub", "purpose": "embed"}

    answer = post(client, "model_choose", where="all", **fields)

    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert not ModelChoice.objects.exists()
