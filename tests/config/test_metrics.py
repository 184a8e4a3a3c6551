"""What Prometheus reads: sums, and nothing that anybody said."""

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from memory.models import Space
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import remember


def scraped() -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels."""
    answer = Client().get("/metrics")
    assert answer.status_code == 200
    return {
        (sample.name, *map(str, sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


@pytest.mark.django_db
def test_requests_are_counted_by_route_and_memories_by_status(space: Space, key: MakeKey) -> None:
    secret = "User is allergic to penicillin"
    remember(space, secret)
    client = ApiClient(key())
    route = ("ebb_http_requests_total", "GET", "api/v1/memories/<id>")
    before = scraped()

    client.get("memories/5f0c1c5e-8a43-4f6e-9a3b-0b3c7c1b2a11")
    client.get("memories/00000000-8a43-4f6e-9a3b-0b3c7c1b2a11")
    after = scraped()

    assert after[(*route, "404")] - before.get((*route, "404"), 0.0) == 2.0
    assert after["ebb_memories", "live"] == 1.0
    assert after["ebb_assessments", "failed"] == 0.0
    assert after[("ebb_outbox_oldest_seconds",)] == 0.0
    assert secret not in Client().get("/metrics").content.decode()
    assert not any("5f0c1c5e" in label for sample in after for label in sample)
