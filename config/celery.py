"""The Celery application. Tasks are in each app's tasks.py."""

import os
from typing import Any

from celery import Celery, bootsteps

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

HEARTBEAT_SECONDS = 10.0


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


class Heartbeat(bootsteps.StartStopStep):
    """Records in the database every ten seconds that this worker takes tasks from its queue.

    It is a step of the worker, not a task: a task would wait in a long queue, and the worker would
    look dead. It runs while the worker is connected to its broker.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._timer: Any = None

    def start(self, consumer: Any) -> None:
        # The first beat runs on the timer too: an unavailable database must not stop the worker.
        consumer.timer.call_after(0, _record_heartbeat)
        self._timer = consumer.timer.call_repeatedly(HEARTBEAT_SECONDS, _record_heartbeat)

    def stop(self, consumer: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _record_heartbeat() -> None:
    from django.conf import settings
    from django.db import connection
    from django.utils import timezone

    from memory.jobs.workers import record_heartbeat

    try:
        record_heartbeat(queue=settings.CELERY_TASK_DEFAULT_QUEUE, now=timezone.now())
    finally:
        connection.close()


app = EbbCelery("ebb")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Each connection is a pool with four threads; enqueueing a task takes a millisecond.
app.conf.broker_pool_limit = 2
app.autodiscover_tasks()
app.steps["consumer"].add(Heartbeat)
