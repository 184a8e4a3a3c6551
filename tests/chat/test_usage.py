"""Calls to models are counted where they are made, and shown on the page."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEntry, Embedder, Space, User
from assessor import tasks
from assessor.assessing import Exchange
from assessor.models import MAX_ATTEMPTS, Assessment, State
from assessor.outbox import services
from assessor.statistics.connection_figures import ConnectionFigures, connection_figures
from memory import embeddings
from memory.embeddings import EmbeddingError
from memory.embeddings.embedders import register_embedder
from memory.embeddings.vectors import embed
from memory.model_connections.embedding import provider_of
from memory.model_connections.services import Change, add_connection, choose_model
from memory.models import ModelConnection, ModelUsage
from memory.policies.services import change_policy
from tests.assessor.outbox import again
from tests.chat.asking import ask
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, remember
from tests.stub_model import StubModel

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queue")]
BEES = Exchange("My cousin Rui keeps bees in Braga", "How nice!")
GOOD = {
    "importance": 0.7,
    "memory_type": "event",
    "summary": "The user's cousin Rui keeps bees in Braga",
    "tags": ["bees"],
    "topics": [],
    "reasoning": "",
}
INVENTED = {**GOOD, "summary": "This conversation is about sustainability in agriculture"}


@pytest.fixture
def connection(space: Space, stub_model: StubModel) -> ModelConnection:
    """A connection that chats and assesses for a dollar a token."""
    change = Change(ALICE, timezone.now())
    made = add_connection(
        change=change,
        name="Stub",
        base_url=stub_model.base_url,
        key="secret",
        price_prompt=1e6,
        price_completion=1e6,
    )
    for purpose in ("chat", "assess"):
        choose_model(
            purpose=purpose, space=None, connection_id=made.pk, model="stub", change=change
        )
    return made


def used(purpose: str) -> ModelUsage:
    return ModelUsage.objects.get(purpose=purpose)


def assess(space: Space, *, attempts: int = 0) -> Assessment:
    row = services.queue_assessment(
        space=space, exchange=replace(BEES, rubric="graded"), now=timezone.now()
    )
    Assessment.objects.filter(pk=row.pk).update(attempts=attempts)
    tasks.assess(space.pk, str(row.pk))
    return again(row)


def test_a_chat_and_a_failed_one_are_counted(
    space: Space, connection: ModelConnection, key: MakeKey, stub_model: StubModel
) -> None:
    secret = key()
    usage = ask(secret, space, "/api/v1/chat", {"message": "I like tea"})[0].json()["usage"]
    stub_model.script("500")
    failed, _content = ask(secret, space, "/api/v1/chat", {"message": "And milk"})
    assert failed.status_code == 503

    row = used("chat")
    assert (row.calls, row.failed, row.unpriced) == (2, 1, 0)
    assert (row.prompt_tokens, row.completion_tokens) == tuple(usage.values())
    assert row.cost_usd == sum(usage.values())
    assert (row.connection_id, row.connection_name, row.model) == (connection.pk, "Stub", "stub")


@pytest.mark.parametrize("stream", [True, False])
def test_a_forwarded_request_is_counted(
    space: Space, connection: ModelConnection, key: MakeKey, stream: bool
) -> None:
    body: dict[str, Any] = {"messages": [{"role": "user", "content": "I like tea"}]}
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    answer, content = ask(key(), space, "/v1/chat/completions", body)
    assert answer.status_code == 200
    assert content

    row = used("chat")
    assert (row.calls, row.failed, row.unpriced) == (1, 0, 0)
    assert row.cost_usd == row.prompt_tokens + row.completion_tokens > 0


def test_a_failed_assessment_keeps_the_tokens_of_all_its_tries(
    space: Space, connection: ModelConnection, stub_model: StubModel
) -> None:
    set_fallback(space, on=False)
    stub_model.script("nonsense", "nonsense")
    first = assess(space)
    assert first.state == State.RETRYING
    Assessment.objects.filter(pk=first.pk).update(attempts=MAX_ATTEMPTS - 1, due_at=timezone.now())

    tasks.assess(space.pk, str(first.pk))

    failed = again(first)
    each = [one["tokens"] for one in failed.failed_tries]
    assert (failed.state, len(each)) == (State.FAILED, 2)
    assert failed.tokens == failed.cost_usd == sum(each) > 0
    row = used("assess")
    assert (row.calls, row.prompt_tokens + row.completion_tokens) == (2, failed.tokens)


def test_a_tool_call_that_asks_the_model_is_counted(
    space: Space, connection: ModelConnection, key: MakeKey, stub_model: StubModel
) -> None:
    remember(space, "User takes the train to work every day")
    stub_model.script('reply:{"decision": "add", "memory": null, "quote": "", "reasoning": ""}')

    said = {"content": "User takes the train to work on Mondays only"}
    assert ApiClient(key()).post("tools/remember", said).status_code == 200

    assert used("reconcile").calls == 1
    assert used("reconcile").cost_usd > 0


def test_embeddings_by_a_connection_are_counted(
    space: Space, connection: ModelConnection, stub_model: StubModel
) -> None:
    provider = provider_of(connection)
    embedder = register_embedder(provider=provider, model="stub-32")
    try:
        assert embed(embedder, ["I like tea", "And milk"], space=space).shape == (2, 32)
        stub_model.script_embeddings("401")
        with pytest.raises(EmbeddingError):
            embed(embedder, ["And sugar"], space=space)
    finally:
        remote = embeddings.get_embedder(provider, "stub-32", 32)
        assert isinstance(remote, embeddings.RemoteEmbedder)
        remote.close()
        embeddings._remote.cache_clear()

    row = used("embed")
    assert (row.calls, row.failed, row.unpriced, row.connection_name) == (2, 1, 0, "Stub")
    assert (row.prompt_tokens, row.completion_tokens, row.cost_usd) == (5, 0, 5.0)
    connection.refresh_from_db()
    assert "refused the API key" in connection.failure


def test_a_space_moves_to_a_connections_embedding_model(
    space: Space, connection: ModelConnection, alice: User
) -> None:
    client = Client()
    client.force_login(alice)
    provider = provider_of(connection)
    chosen = {
        "connection": str(connection.pk), "model": "stub-32", "purpose": "move", "where": "space",
    }  # fmt: skip

    page = client.post(reverse("model_choose", args=["home"]), chosen, follow=True).text
    assert f'<option value="{provider}" selected >Stub</option>' in page
    assert 'value="stub-32"' in page
    names = client.get(reverse("embeddings_models", args=["home"]), {"provider": provider}).text
    assert '<option value="stub' in names
    try:
        client.post(
            reverse("embeddings_begin", args=["home"]), {"provider": provider, "model": "stub-32"}
        )
    finally:
        for row in Embedder.objects.exclude(provider="local"):
            remote = embeddings.get_embedder(row.provider, row.model, row.dimensions)
            assert isinstance(remote, embeddings.RemoteEmbedder)
            remote.close()
        embeddings._remote.cache_clear()

    space.refresh_from_db()
    assert space.next_embedder is not None
    assert (space.next_embedder.provider, space.next_embedder.model) == (provider, "stub-32")
    told = AuditEntry.objects.in_space(space).get(action="embedder.chosen")
    assert (told.subject, told.detail) == ("stub-32", {"provider": "Stub"})


def test_a_connection_shows_its_time_and_that_its_model_is_too_small(
    space: Space,
    other_space: Space,
    connection: ModelConnection,
    alice: User,
    stub_model: StubModel,
) -> None:
    answers = [GOOD, INVENTED, INVENTED, INVENTED, INVENTED]
    stub_model.script(*(f"reply:{json.dumps(answer)}" for answer in answers))
    rows = [assess(space) for _ in answers]
    times = [500.0, 100.0, 300.0, 200.0, 400.0]
    for row, took in zip(rows, times, strict=True):
        Assessment.objects.filter(pk=row.pk).update(latency_ms=took)

    now = timezone.now()
    found = connection_figures(space=None, now=now)[connection.pk]

    assert (found.assessed, found.median_ms, found.checked, found.replaced) == (5, 300.0, 5, 4)
    assert found.p95_ms == pytest.approx(480.0)
    assert found.is_too_small
    assert connection_figures(space=other_space, now=now) == {}
    client = Client()
    client.force_login(alice)
    page = client.get(reverse("models", args=["home"])).text
    assert "Assesses in 300 ms, 95% within 480 ms (5 assessments in the last 30 days)." in page
    assert "4 of 5 summaries were replaced" in page
    assert "This model is too small to assess." in page


def test_a_few_replaced_summaries_are_no_warning() -> None:
    assert not ConnectionFigures(assessed=4, checked=4, replaced=4).is_too_small
    assert not ConnectionFigures(assessed=10, checked=10, replaced=5).is_too_small
    assert ConnectionFigures(assessed=10, checked=10, replaced=6).is_too_small
    assert ConnectionFigures().replaced_share is None


def test_the_page_shows_a_space_to_its_owner_and_all_to_operators(
    space: Space, connection: ModelConnection, key: MakeKey, alice: User, bob: User
) -> None:
    client = Client()
    client.force_login(alice)
    url = reverse("usage", args=["home"])
    assert "No model calls yet" in client.get(url).text
    ask(key(), space, "/api/v1/chat", {"message": "I like tea"})

    page = client.get(url).text
    assert "tokens in the last 30 days" in page
    row = used("chat")
    assert f'data-label="Prompt tokens"><span>{row.prompt_tokens}<br>' in page
    assert "$1000000.00" in page  # the price
    assert "All spaces" not in page
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    assert 'aria-current="page">All spaces' in client.get(url, {"where": "all"}).text
    client.force_login(bob)
    assert client.get(url).status_code == 403


def set_fallback(space: Space, *, on: bool) -> None:
    change_policy(
        space=space, changes={"assessment": {"fallback": on}}, actor=ALICE, now=timezone.now()
    )
