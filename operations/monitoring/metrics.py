"""`/metrics` for Prometheus: totals over all spaces, without any content.

Two kinds: counters and timings of the processes of this host (foundation.metrics), and current
values from the database. Without EBB_METRICS_TOKEN no key is needed, and a public proxy must block
this path.
"""

from collections.abc import Iterator

from django.conf import settings
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_GET
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from assessor.models import Assessment, State
from foundation.database.sql import fetch
from memory.jobs.workers import BEAT
from operations.monitoring.shared_metrics import process_metrics
from operations.monitoring.status import heartbeat_ages, queue_state
from operations.version import VERSION

_UNFINISHED = [State.QUEUED, State.RETRYING, State.RUNNING]
# PostgreSQL's own estimate, -1 before the first one, because counting the rows would read the whole
# table.
_ROWS = "SELECT reltuples FROM pg_class WHERE oid = 'memory_memory'::regclass"


class FromDatabase(Collector):
    """Metrics read from the database at each scrape."""

    def collect(self) -> Iterator[Metric]:
        """Yield the version, the numbers of memories and of unfinished assessments, and the ages
        of outbox, worker and beat.
        """
        yield InfoMetricFamily("ebb_build", "Ebb's version", value={"version": VERSION})
        [[rows]] = fetch(_ROWS, {})
        yield GaugeMetricFamily(
            "ebb_memories", "Memories in all states, as PostgreSQL estimates", value=max(rows, 0)
        )
        unfinished = GaugeMetricFamily(
            "ebb_assessments", "Exchanges waiting for assessment", labels=["state"]
        )
        # Only these are in a partial index.
        counted = Assessment.objects.filter(state__in=_UNFINISHED).values_list("state")
        counts = dict(counted.annotate(Count("pk")).order_by())
        for state in _UNFINISHED:
            unfinished.add_metric([state], counts.get(state, 0))
        yield unfinished
        yield from _ages()


def _ages() -> Iterator[Metric]:
    queue = queue_state()
    yield GaugeMetricFamily(
        "ebb_outbox_oldest_seconds",
        "Seconds since the oldest waiting exchange was due",
        value=queue.age.total_seconds(),
    )
    yield GaugeMetricFamily(
        "ebb_stuck", "Exchanges and jobs that a worker abandoned", value=queue.stuck
    )
    ages = {name: age.total_seconds() for name, age in heartbeat_ages().items()}
    beat = GaugeMetricFamily("ebb_beat_heartbeat_age_seconds", "Seconds since beat last reported")
    if BEAT in ages:
        beat.add_metric([], ages.pop(BEAT))
    yield beat
    workers = GaugeMetricFamily(
        "ebb_worker_heartbeat_age_seconds", "Seconds since a worker last reported", labels=["queue"]
    )
    for name, age in ages.items():
        workers.add_metric([name], age)
    yield workers


_from_database = CollectorRegistry()
_from_database.register(FromDatabase())


@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics in Prometheus' text format; 401 without the token, if one is set."""
    if settings.EBB_METRICS_TOKEN and not _has_token(request):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    content = generate_latest(process_metrics()) + generate_latest(_from_database)
    return HttpResponse(content, content_type=CONTENT_TYPE_LATEST)


def _has_token(request: HttpRequest) -> bool:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return scheme.lower() == "bearer" and constant_time_compare(token, settings.EBB_METRICS_TOKEN)
