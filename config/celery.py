"""The Celery application. Tasks are in each app's tasks.py."""

import logging
import math
import os
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from celery import Celery, bootsteps
from celery.beat import PersistentScheduler
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

HEARTBEAT_SECONDS = 10.0
BACKLOG_SECONDS = 60.0
"""Pause between two log lines about workers that do not keep up."""
logger = logging.getLogger(__name__)
# kombu silences this warning, but not in the other threads of the process.
warnings.filterwarnings("ignore", r"list_queues\(\) now returns", UserWarning)


class EbbCelery(Celery):
    """A Celery app in which only workers listen on the queue."""

    def connection_for_write(self, *args: Any, **options: Any) -> Any:
        """Return a connection for enqueueing, which tries to connect only once.

        Beat requeues lost tasks, and requests must not wait for an unavailable queue. In PostgreSQL
        the connection uses one session without `NOTIFY`. With `NOTIFY`, each new connection would
        create the queue's trigger again (two at once would fail: "trigger already exists") and open
        a second session for listening.
        """
        changed = {**(options.get("transport_options") or {}), "max_retries": 0}
        if "use_notify" in self.conf.broker_transport_options:
            changed |= {"use_notify": False, "pool_size": 1}
        return super().connection_for_write(*args, **options | {"transport_options": changed})

    @property
    def Worker(self) -> Any:  # noqa: N802 - Celery's name
        """The class of a worker. Only `celery worker` asks for it, before it imports any task: the
        metrics that tasks import are then shared."""
        from operations.monitoring.shared_metrics import share_metrics

        share_metrics()
        return super().Worker


class SchemaCheck(bootsteps.Step):
    """Ends a worker at its start if a newer Ebb has prepared the database."""

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        from foundation.database.connections import release_connection
        from operations.postgres.schema import newer_schema

        if fault := newer_schema():
            logger.critical(fault)
            sys.exit(1)
        release_connection()


class Observation(bootsteps.Step):
    """Counts and times the worker's tasks."""

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        from operations.monitoring.task_metrics import observe_tasks

        observe_tasks()


class Heartbeat(bootsteps.StartStopStep):
    """Records in the database every ten seconds that this worker takes tasks from its queue.

    This is a step of the worker instead of a task: in a long queue, a task would wait and the
    worker would look dead. It runs while the worker is connected to its broker.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._timer: Any = None

    def start(self, consumer: Any) -> None:
        """Report at once, and then regularly."""
        # The first beat runs on the timer too: an unavailable database must not stop the worker.
        consumer.timer.call_after(0, _record_worker)
        self._timer = consumer.timer.call_repeatedly(HEARTBEAT_SECONDS, _record_worker)

    def stop(self, consumer: Any) -> None:
        """Stop reporting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class ReportingScheduler(PersistentScheduler):
    """Celery's scheduler, which also records every ten seconds that beat is alive, and logs every
    minute how long exchanges wait if the workers do not keep up."""

    _reported_at = -math.inf
    _warned_at = -math.inf

    def tick(self, *args: Any, **options: Any) -> float:
        """Enqueue due tasks; return the seconds until the next call."""
        from django.db import DatabaseError

        wait: float = super().tick(*args, **options)
        _touch("beat")
        if monotonic() - self._reported_at >= HEARTBEAT_SECONDS:
            self._reported_at = monotonic()
            try:
                _record_beat()
                self._warn_of_backlog()
            except DatabaseError as error:  # beat continues: the queue may be elsewhere
                logger.warning("Beat cannot record that it is alive: %s", error)
        return wait

    def _warn_of_backlog(self) -> None:
        from foundation.database.connections import release_connection
        from operations.monitoring.status import MAX_WAIT, queue_state

        if monotonic() - self._warned_at < BACKLOG_SECONDS:
            return
        queue = queue_state()
        release_connection()
        if queue.age > MAX_WAIT:
            self._warned_at = monotonic()
            logger.warning(
                "The workers do not keep up: %d exchanges wait for assessment, the oldest for %d "
                "seconds. Start another worker.",
                queue.waiting,
                queue.age.total_seconds(),
            )


def _record_worker() -> None:
    from django.conf import settings

    _touch("worker")
    _record_heartbeat(settings.CELERY_TASK_DEFAULT_QUEUE)


def _touch(name: str) -> None:
    """Touch the file that shows a container's health check that this process is alive.

    The file does not depend on the database, because restarting a worker would not bring that back.
    """
    from django.conf import settings

    with suppress(OSError):  # a full disk must not end beat
        settings.EBB_RUN_DIR.mkdir(parents=True, exist_ok=True)
        (settings.EBB_RUN_DIR / f"{name}.alive").touch()


def _record_beat() -> None:
    from memory.jobs.workers import BEAT

    _record_heartbeat(BEAT)


def _record_heartbeat(name: str) -> None:
    from foundation.database.connections import release_connection
    from foundation.database.leases import database_now
    from memory.jobs.workers import record_heartbeat

    try:
        record_heartbeat(queue=name, now=database_now())
    finally:
        release_connection()


@setup_logging.connect
def _keep_logging(**options: Any) -> None:
    """Keep the setting LOGGING, with EBB_LOG_LEVEL: Celery would log warnings only."""


app = EbbCelery("ebb")
# Celery has put the current folder first. Another module `memory` may be there.
sys.path.insert(0, str(Path(__file__).parent.parent))
app.config_from_object("django.conf:settings", namespace="CELERY")
# Each connection is a pool with four threads; enqueueing a task takes a millisecond.
app.conf.broker_pool_limit = 2
app.autodiscover_tasks()
app.steps["worker"].update({SchemaCheck, Observation})
app.steps["consumer"].add(Heartbeat)
