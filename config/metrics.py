"""`/metrics` for Prometheus: totals over all spaces, without any content.

Two kinds: this process's counters and timings since its start, and current values from the
database. No key is needed; a public proxy must block this path.
"""

from collections.abc import Iterator

from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from assessor.models import Assessment, State
from memory.models import Memory, WorkerHeartbeat

registry = CollectorRegistry()

_requests = Counter(
    "ebb_http_requests", "Requests answered", ["method", "route", "status"], registry=registry
)
_seconds = Histogram(
    "ebb_http_request_seconds",
    "Until the answer began",
    ["method", "route"],
    registry=registry,
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


def count_request(request: HttpRequest, status: int, seconds: float) -> None:
    """Count an answer by its route, not its path: ids would create a series each."""
    match = request.resolver_match
    route = match.route if match else "(none)"
    _requests.labels(request.method, route, status).inc()
    _seconds.labels(request.method, route).observe(seconds)


class FromDatabase(Collector):
    """Metrics read from the database at each scrape."""

    def collect(self) -> Iterator[Metric]:
        """Yield the numbers of memories and assessments, and the ages of outbox and workers."""
        memories = GaugeMetricFamily("ebb_memories", "Memories there are", labels=["status"])
        for status, count in Memory.objects.values_list("status").annotate(Count("pk")).order_by():
            memories.add_metric([status], count)
        yield memories
        assessments = GaugeMetricFamily(
            "ebb_assessments", "Exchanges by how far they are judged", labels=["state"]
        )
        for state, count in Assessment.objects.all().counted_by_state().items():
            assessments.add_metric([state], count)
        yield assessments
        yield from _ages()


def _ages() -> Iterator[Metric]:
    now = timezone.now()
    waiting = Assessment.objects.filter(state__in=[State.QUEUED, State.RETRYING], due_at__lte=now)
    oldest = waiting.aggregate(at=Min("due_at"))["at"]
    yield GaugeMetricFamily(
        "ebb_outbox_oldest_seconds",
        "How long the exchange that waits longest has been due",
        value=(now - oldest).total_seconds() if oldest else 0.0,
    )
    workers = GaugeMetricFamily(
        "ebb_worker_heartbeat_age_seconds", "Since a worker last reported", labels=["queue"]
    )
    for heartbeat in WorkerHeartbeat.objects.all():
        workers.add_metric([heartbeat.queue], (now - heartbeat.at).total_seconds())
    yield workers


registry.register(FromDatabase())
ProcessCollector(registry=registry)


@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics in Prometheus' text format."""
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
