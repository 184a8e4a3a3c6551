"""Sums of calls to models: nothing is lost, and costs follow the prices of the call."""

import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Space
from memory.model_connections.choosing import Prices
from memory.model_connections.usage import ModelCall, UsageMeter, UsageSource, record_usage
from memory.models import ModelUsage, UsagePurpose
from tests.conftest import ApiClient, MakeKey

PRICED = UsageSource("small", Prices(1.0, 3.0), uuid4(), "Ollama")
ENVIRONMENT = UsageSource("small")


def record(space: Space, source: UsageSource, *calls: ModelCall, days_ago: int = 0) -> None:
    record_usage(
        space=space,
        purpose=UsagePurpose.CHAT,
        source=source,
        calls=calls,
        now=timezone.now() - timedelta(days=days_ago),
    )


@pytest.mark.django_db
def test_calls_of_a_day_are_added_up(space: Space) -> None:
    record(space, PRICED, ModelCall(100, 10), ModelCall(failed=True), ModelCall())
    record(space, PRICED, ModelCall(1_000_000, 1_000_000))
    record(space, PRICED)  # no call, no row

    row = ModelUsage.objects.get()
    assert (row.calls, row.failed, row.unpriced) == (4, 1, 1)
    assert (row.prompt_tokens, row.completion_tokens) == (1_000_100, 1_000_010)
    assert row.cost_usd == pytest.approx(4.00013)


@pytest.mark.django_db
def test_calls_of_the_environments_model_share_a_row_too(space: Space) -> None:
    record(space, ENVIRONMENT, ModelCall(1, 1))
    record(space, ENVIRONMENT, ModelCall(1, 1))
    record(space, ENVIRONMENT, ModelCall(1, 1), days_ago=1)

    assert [row.calls for row in ModelUsage.objects.order_by("-day")] == [2, 1]
    assert ModelUsage.objects.filter(unpriced=2, cost_usd=0).count() == 1


@pytest.mark.django_db
def test_a_meter_stores_each_call_once(space: Space) -> None:
    meter = UsageMeter(space, UsagePurpose.ASSESS, PRICED, [ModelCall(5, 0)])
    meter.store(timezone.now())
    meter.store(timezone.now())

    assert ModelUsage.objects.get().calls == 1


def test_an_answer_without_completion_tokens_needs_no_price_for_them() -> None:
    assert ModelCall(1_000_000, 0).cost_usd(Prices(2.0, None)) == 2.0
    assert ModelCall(1, 1).cost_usd(Prices(2.0, None)) is None
    assert ModelCall(None, None).cost_usd(Prices(2.0, 2.0)) is None


@pytest.mark.django_db(transaction=True)
def test_two_workers_lose_no_count(space: Space) -> None:
    def work() -> None:
        try:
            for _ in range(25):
                record(space, PRICED, ModelCall(3, 1))
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    row = ModelUsage.objects.get()
    assert (row.calls, row.prompt_tokens, row.completion_tokens) == (100, 300, 100)


@pytest.mark.django_db
def test_the_api_lists_the_spaces_own_usage(space: Space, other_space: Space, key: MakeKey) -> None:
    record(space, PRICED, ModelCall(10, 2))
    record(space, ENVIRONMENT, ModelCall(10, 2), days_ago=40)
    record(other_space, PRICED, ModelCall(7, 7))
    program = ApiClient(key())

    [item] = program.get("usage").json()["items"]
    assert (item["connection"], item["model"], item["purpose"]) == ("Ollama", "small", "chat")
    assert (item["calls"], item["prompt_tokens"], item["completion_tokens"]) == (1, 10, 2)
    assert item["cost_usd"] == pytest.approx(0.000016)
    since = (timezone.now() - timedelta(days=50)).date().isoformat()
    assert [one["connection"] for one in program.get("usage", since=since).json()["items"]] == [
        "Ollama",
        None,
    ]
    assert program.get("usage", since="yesterday").status_code == 422
    assert ApiClient(key(scopes=["read"])).get("usage").status_code == 403
