"""Counts and times the tasks of a worker, and gives their log the id of the request behind them."""

from time import perf_counter
from typing import Any

from celery.signals import task_postrun, task_prerun
from django.conf import settings

from foundation import log_ids, metrics
from foundation.metrics import count_pool_waits
from foundation.queue import REQUEST_ID
from operations.monitoring.shared_metrics import serve_metrics

_started: dict[str, float] = {}


def observe_tasks() -> None:
    """Connect to the worker's tasks, and answer Prometheus if EBB_METRICS_PORT is set."""
    task_prerun.connect(_begin)
    task_postrun.connect(_end)
    if settings.EBB_METRICS_PORT is not None:
        serve_metrics(settings.EBB_METRICS_PORT)


def _begin(task_id: str, task: Any, **options: Any) -> None:
    log_ids.request_id.set(getattr(task.request, REQUEST_ID, None) or "")
    log_ids.assessment_id.set("")  # the thread's earlier task had another
    _started[task_id] = perf_counter()


def _end(task_id: str, task: Any, state: str | None = None, **options: Any) -> None:
    metrics.tasks.labels(task.name, (state or "unknown").lower()).inc()
    if (started := _started.pop(task_id, None)) is not None:
        metrics.task_seconds.labels(task.name).observe(perf_counter() - started)
    count_pool_waits()
