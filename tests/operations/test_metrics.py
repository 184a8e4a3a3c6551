"""Metrics for Prometheus: sums over all processes, and no text of people."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from accounts.models import Space
from memory.jobs.workers import BEAT, record_heartbeat
from memory.model_connections.choosing import Prices
from memory.model_connections.usage import ModelCall, UsageSource, record_usage
from memory.models import UsagePurpose
from memory.recall.recall import SearchRequest, recall
from operations.version import VERSION
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import remember


def scraped() -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels, in the order of their names."""
    answer = Client().get("/metrics")
    assert answer.status_code == 200
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


@pytest.mark.django_db
def test_requests_are_counted_by_route_and_memories_by_status(space: Space, key: MakeKey) -> None:
    secret = "User is allergic to penicillin"
    remember(space, secret)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_memory")
    record_heartbeat(queue=BEAT, now=timezone.now() - timedelta(hours=1))
    client = ApiClient(key())
    route = ("ebb_http_requests_total", "GET", "api/v1/memories/<id>")
    before = scraped()

    client.get("memories/5f0c1c5e-8a43-4f6e-9a3b-0b3c7c1b2a11")
    client.get("memories/00000000-8a43-4f6e-9a3b-0b3c7c1b2a11")
    after = scraped()

    assert after[(*route, "404")] - before.get((*route, "404"), 0.0) == 2.0
    assert after[("ebb_memories",)] == 1.0
    assert after["ebb_assessments", "queued"] == 0.0
    assert after["ebb_build_info", VERSION] == 1.0
    assert after[("ebb_outbox_oldest_seconds",)] == 0.0
    assert after[("ebb_stuck",)] == 0.0
    assert after[("ebb_beat_heartbeat_age_seconds",)] >= 3600
    assert ("ebb_worker_heartbeat_age_seconds", BEAT) not in after
    assert secret not in Client().get("/metrics").content.decode()
    assert not any("5f0c1c5e" in label for sample in after for label in sample)


def grown(before: dict[tuple[str, ...], float], *names: str) -> float:
    """Return how much the sample with these labels has grown since then."""
    return scraped()[names] - before.get(names, 0.0)


@pytest.mark.django_db
def test_calls_to_models_are_timed_counted_and_priced(space: Space) -> None:
    before = scraped()

    record_usage(
        space=space,
        purpose=UsagePurpose.CHAT,
        source=UsageSource("small", Prices(1.0, 3.0), connection_name="Ollama"),
        calls=[ModelCall(1_000_000, 2_000_000, seconds=0.7), ModelCall(failed=True, seconds=30)],
        now=timezone.now(),
    )

    calls, tokens = "ebb_model_calls_total", "ebb_model_tokens_total"
    assert grown(before, calls, "Ollama", "answered", "chat") == 1
    assert grown(before, calls, "Ollama", "failed", "chat") == 1
    assert grown(before, "ebb_model_call_seconds_sum", "Ollama", "chat") == pytest.approx(30.7)
    assert grown(before, tokens, "Ollama", "prompt", "chat") == 1_000_000
    assert grown(before, tokens, "Ollama", "completion", "chat") == 2_000_000
    assert grown(before, "ebb_model_cost_usd_total", "Ollama", "chat") == pytest.approx(7.0)


@pytest.mark.django_db
def test_recalls_for_a_model_are_counted_with_silence_and_searches_are_not(space: Space) -> None:
    remember(space, "User is allergic to penicillin")
    before, now = scraped(), timezone.now()

    recall(space, SearchRequest("penicillin"), now=now)
    recall(space, SearchRequest("Am I allergic to penicillin?", min_relevance=None), now=now)
    recall(space, SearchRequest("How high is the Eiffel Tower?", min_relevance=None), now=now)

    assert grown(before, "ebb_recalls_total", "memories") == 1
    assert grown(before, "ebb_recalls_total", "silent") == 1
    assert grown(before, "ebb_recall_seconds_count") == 3


@pytest.mark.django_db
def test_no_scrape_counts_the_memories(space: Space) -> None:
    with CaptureQueriesContext(connection) as queries:
        scraped()

    assert queries
    assert [query["sql"] for query in queries if 'FROM "memory_memory"' in query["sql"]] == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("", 401),
        ("Bearer", 401),
        ("Bearer wrong", 401),
        ("Bearer wröng", 401),
        ("Basic t0ken", 401),
        ("Bearer t0ken", 200),
        ("bearer t0ken", 200),
    ],
)
def test_a_token_is_required_if_one_is_set(settings: Settings, sent: str, status: int) -> None:
    settings.EBB_METRICS_TOKEN = "t0ken"

    answer = Client(headers={"Authorization": sent}).get("/metrics")

    assert answer.status_code == status
    assert answer.get("WWW-Authenticate") == ("Bearer" if status == 401 else None)
    assert (b"ebb_build" in answer.content) is (status == 200)
