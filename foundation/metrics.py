"""Counters and timings for `/metrics` (operations.monitoring.metrics): totals, without any content.

In web processes and workers they live in files that all processes of a host share
(operations.monitoring.shared_metrics), elsewhere in this process. Labels have few values, because
each combination is a series. A model's name is not a label, because callers may send any name.
"""

from django.db import connection
from django.http import HttpRequest
from prometheus_client import CollectorRegistry, Counter, Histogram

registry = CollectorRegistry()

_FAST = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_SLOW = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120)

http_requests = Counter(
    "ebb_http_requests", "Requests answered", ["method", "route", "status"], registry=registry
)
http_request_seconds = Histogram(
    "ebb_http_request_seconds",
    "Seconds until the answer began",
    ["method", "route"],
    registry=registry,
    buckets=_FAST,
)
recall_seconds = Histogram(
    "ebb_recall_seconds", "Duration of a recall", registry=registry, buckets=_FAST
)
recalls = Counter(
    "ebb_recalls",
    "Recalls for a model: with memories, or silent because none was relevant enough",
    ["result"],
    registry=registry,
)
assessments_finished = Counter(
    "ebb_assessments_finished", "Exchanges that were assessed", ["state"], registry=registry
)
model_calls = Counter(
    "ebb_model_calls", "Calls to models", ["purpose", "connection", "outcome"], registry=registry
)
model_call_seconds = Histogram(
    "ebb_model_call_seconds",
    "Seconds until a model's answer ended",
    ["purpose", "connection"],
    registry=registry,
    buckets=_SLOW,
)
model_tokens = Counter(
    "ebb_model_tokens",
    "Tokens that endpoints counted",
    ["purpose", "connection", "kind"],
    registry=registry,
)
model_cost_usd = Counter(
    "ebb_model_cost_usd",
    "Cost of the calls whose prices are known",
    ["purpose", "connection"],
    registry=registry,
)
pool_requests = Counter(
    "ebb_pool_requests", "Requests for a database connection", registry=registry
)
pool_waits = Counter(
    "ebb_pool_waits", "Requests that found no free database connection", registry=registry
)
pool_wait_seconds = Counter(
    "ebb_pool_wait_seconds",
    "Seconds that requests waited for a database connection",
    registry=registry,
)
pool_timeouts = Counter(
    "ebb_pool_timeouts", "Requests that got no database connection in time", registry=registry
)
tasks = Counter("ebb_tasks", "Tasks of workers", ["task", "outcome"], registry=registry)
task_seconds = Histogram(
    "ebb_task_seconds", "Duration of a task", ["task"], registry=registry, buckets=_SLOW
)


def count_request(request: HttpRequest, status: int, seconds: float) -> None:
    """Count a response by its route instead of its path, because each id would create a series."""
    match = request.resolver_match
    route = match.route if match else "(none)"
    http_requests.labels(request.method, route, status).inc()
    http_request_seconds.labels(request.method, route).observe(seconds)
    count_pool_waits()


def count_pool_waits() -> None:
    """Add the waits for a database connection in this process since the last call."""
    pool = connection.pool  # type: ignore[attr-defined]  # of the backend for PostgreSQL
    if pool is None:  # as in tests
        return
    since = pool.pop_stats()
    pool_requests.inc(since.get("requests_num", 0))
    pool_waits.inc(since.get("requests_queued", 0))
    pool_wait_seconds.inc(since.get("requests_wait_ms", 0) / 1000)
    pool_timeouts.inc(since.get("requests_errors", 0))
