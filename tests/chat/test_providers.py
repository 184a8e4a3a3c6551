"""The page of the models: what is set up stands there without its key, and Test asks for real."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import Embedder, Space, User
from assessor.models import Assessment
from tests.stub_model import StubModel

SECRET = "sk-very-secret"


@pytest.fixture
def client(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


@pytest.fixture
def connected(settings: Settings, stub_model: StubModel) -> StubModel:
    settings.OPENAI_BASE_URL = settings.EBB_EMBEDDING_BASE_URL = stub_model.base_url
    settings.OPENAI_API_KEY = settings.EBB_EMBEDDING_API_KEY = SECRET
    settings.EBB_CHAT_MODEL, settings.EBB_ASSESSOR_MODEL = "talker", "judge-mini"
    settings.EBB_EMBEDDING_PROVIDER, settings.EBB_EMBEDDING_MODEL = "openai", "vectors-64"
    settings.MODEL_VARIABLES = {
        "OPENAI_BASE_URL": "OPENAI_BASE_URL",
        "OPENAI_API_KEY": "OPENAI_API_KEY_FILE",
        "EBB_CHAT_MODEL": "EBB_CHAT_MODEL",
    }
    return stub_model


def tried(client: Client, name: str) -> str:
    """Return the text of the part after its button was pressed."""
    answer = client.post(reverse("models_try", args=["home", name]), headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert SECRET not in answer.text
    return " ".join(answer.text.split())


def test_built_in_models_need_nobody(space: Space, client: Client) -> None:
    page = client.get(reverse("models", args=["home"])).text

    assert page.count("built-in") == 3
    assert (
        "Add a connection below and choose its model, or set OPENAI_BASE_URL or OPENAI_API_KEY."
        in page
    )
    assert "Test Embeddings" in page
    assert "Test Chat" not in page
    assert "all-MiniLM-L6-v2 returned a vector with 384 dimensions." in tried(client, "embeddings")
    for name in ("chat", "assessor", "nobody"):
        assert client.post(reverse("models_try", args=["home", name])).status_code == 404


def test_what_is_set_up_is_shown_with_its_variable_and_without_its_key(
    space: Space, client: Client, connected: StubModel, settings: Settings
) -> None:
    settings.OPENAI_BASE_URL = "https://me:hushhush@models.example:8443/v1?token=hushhush"

    page = " ".join(client.get(reverse("models", args=["home"])).text.split())

    assert "<code>https://models.example:8443/v1</code>" in page
    assert "<dd>Set <span" in page
    assert "set by OPENAI_API_KEY_FILE" in page
    assert "<code>talker</code>" in page
    assert "set by EBB_CHAT_MODEL" in page
    assert "Embeddings of new spaces" in page
    assert "hushhush" not in page
    assert SECRET not in page
    assert connected.requests == []


SMALL = [
    ("", "gpt-4o", "gpt-5.4-nano"),
    ("https://api.openai.com/v1", "gpt-5.4-nano", ""),
    ("http://localhost:11434/v1", "llama3:70b", "qwen3:1.7b"),
    ("https://models.example/v1", "gpt-4o", ""),
    ("http://[broken", "gpt-4o", ""),
]


@pytest.mark.parametrize(("address", "model", "small"), SMALL)
def test_a_small_assessor_model_is_suggested(
    space: Space, client: Client, connected: StubModel, settings: Settings,
    address: str, model: str, small: str,
) -> None:  # fmt: skip
    """Seed 001, "Configuration": "model: "WEAK""."""
    settings.OPENAI_BASE_URL, settings.EBB_ASSESSOR_MODEL = address, model
    suggestion = f"The chat model {model} also assesses each message."

    page = client.get(reverse("models", args=["home"])).text

    assert (suggestion in page) is bool(small)
    assert f"EBB_ASSESSOR_MODEL={small}." in page or not small
    settings.MODEL_VARIABLES |= {"EBB_ASSESSOR_MODEL": "EBB_ASSESSOR_MODEL"}
    assert suggestion not in client.get(reverse("models", args=["home"])).text


def test_the_assessor_says_what_it_costs(
    space: Space, client: Client, connected: StubModel, settings: Settings
) -> None:
    """Seed 001, "Performance Targets": "Cost per assessment: ~$0.0001"."""

    def page() -> str:
        return client.get(reverse("models", args=["home"])).text

    assert "Unknown: set EBB_PRICES." in page()
    settings.EBB_PRICES = (0.15, 0.6)
    assert "$0.15 per million prompt tokens, $0.6 per million answer tokens" in page()
    for cost in (0.0001, 0.0003):
        Assessment.objects.create(
            space=space, user_message="hi", state="done", importance=0.7, provider="llm",
            model="judge-mini-2026", latency_ms=9.0, cost_usd=cost,
        )  # fmt: skip
    assert "$0.0002 per assessment (2 in the last 30 days)" in page()
    settings.OPENAI_BASE_URL = settings.OPENAI_API_KEY = ""
    assert "Nothing. It runs on this machine." in page()


def test_test_asks_the_model_for_real(space: Space, client: Client, connected: StubModel) -> None:
    connected.script("reply:ready <b>now</b>", "reply:ready")

    assert "talker answered “ready &lt;b&gt;now&lt;/b&gt;”." in tried(client, "chat")
    assert "judge-mini answered “ready”." in tried(client, "assessor")
    assert "vectors-64 returned a vector with 64 dimensions." in tried(client, "new_embeddings")
    assert [request.body["model"] for request in connected.requests] == ["talker", "judge-mini"]
    assert {request.authorization for request in connected.requests} == {f"Bearer {SECRET}"}
    whole = client.post(reverse("models_try", args=["home", "chat"])).text
    assert "Took" in whole
    assert "<h1>Models</h1>" in whole


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("401", "The model&#x27;s endpoint refused the API key. (HTTP 401)"),
        ("404", "The endpoint does not know this model, or the URL is wrong."),
        ("garbage", "answer could not be read."),
        ("reply: ", "The endpoint returned an empty answer."),
    ],
)
def test_what_is_wrong_is_said(
    space: Space, client: Client, connected: StubModel, step: str, said: str
) -> None:
    connected.script(step)

    answer = tried(client, "chat")

    assert said in answer
    assert 'role="alert"' in answer


def test_silence_and_an_address_where_nobody_is(
    space: Space,
    client: Client,
    connected: StubModel,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connected.script("timeout")
    with monkeypatch.context() as patch:
        patch.setattr("chat.connections.trials.TIMEOUT", 0.2)
        assert "The model did not answer in time." in tried(client, "chat")

    settings.OPENAI_BASE_URL = settings.EBB_EMBEDDING_BASE_URL = "http://127.0.0.1:9/v1"
    for name in ("chat", "new_embeddings"):
        assert "cannot be reached." in tried(client, name)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("401", "The embedding endpoint refused the API key."),
        ("404", "does not know this model, or the URL is wrong."),
        ("nan", "be read"),
    ],
)
def test_what_is_wrong_with_vectors_is_said(
    space: Space, client: Client, connected: StubModel, step: str, said: str
) -> None:
    connected.script_embeddings(step)

    assert said in tried(client, "new_embeddings")
    assert len(connected.embedding_requests) == 1  # nobody waits for repeats


def test_another_model_by_that_name_is_told_by_its_dimensions_and_one_that_is_away(
    space: Space, client: Client, connected: StubModel, settings: Settings
) -> None:
    space.embedder = Embedder.objects.create(provider="openai", model="vectors-64", dimensions=32)
    space.save()

    answer = tried(client, "embeddings")
    settings.EBB_EMBEDDING_BASE_URL = settings.EBB_EMBEDDING_API_KEY = ""
    nowhere = tried(client, "embeddings")

    assert "The embedding endpoint has no key and no URL. (openai)" in nowhere
    assert "returned a vector with 64 dimensions. Ebb expects 32." in answer
    assert 'role="alert"' in answer
