"""The state of everything behind the web processes: worker, scheduler, queue and models."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError
from django.db.models import Count, DurationField, ExpressionWrapper, F, Max, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from assessor.llm import ModelError
from assessor.models import Assessment, State
from foundation.database.leases import MAX_STUCK
from memory.jobs.workers import BEAT
from memory.model_connections.choosing import environment_decides
from memory.models import Job, ModelConnection, WorkerHeartbeat
from operations.preconditions import ask_model

OK = "ok"
# Three missed heartbeats may be chance; six are a failure.
HEARTBEAT_MAX_AGE = timedelta(seconds=60)
MAX_WAIT = timedelta(minutes=1)
"""Above this age of the oldest due exchange, the workers do not keep up."""
_MODEL_ANSWER_KEPT = 15  # seconds: frequent probes must not cause as many model requests


@dataclass(frozen=True)
class Queue:
    """The queue: the age of its oldest due exchange, the number of due exchanges, and that of
    abandoned rows."""

    age: timedelta = timedelta()
    waiting: int = 0
    stuck: int = 0


@dataclass(frozen=True)
class Status:
    """Part → "ok" or a sentence about the fault; the queue is None if it is unknown."""

    parts: dict[str, str]
    queue: Queue | None

    @property
    def is_ok(self) -> bool:
        """Return True if no part has a fault."""
        return all(state == OK for state in self.parts.values())


def check_status(*, has_database: bool) -> Status:
    """Return the state of each part. Calls the environment's model, so this may take seconds."""
    if has_database:
        with suppress(DatabaseError):  # it went away just now, or has no tables yet
            parts, queue = _heartbeats(), queue_state()
            return Status(parts | {"queue": _queue(queue), "model": _model()}, queue)
    unknown = _("Unknown: the database is not available.")
    parts = dict.fromkeys(("worker", "beat", "queue"), unknown)
    return Status(parts | {"model": _model()}, None)


def failing_connections() -> tuple[int, int]:
    """Return the number of model connections whose last call failed, and of all connections."""
    counts = ModelConnection.objects.aggregate(
        failing=Count("pk", filter=~Q(failure="")), total=Count("pk")
    )
    return counts["failing"], counts["total"]


def heartbeat_ages() -> dict[str, timedelta]:
    """Return queue or "beat" → the time since its last heartbeat, by the database's clock."""
    age = ExpressionWrapper(Now() - F("at"), output_field=DurationField())
    return dict(WorkerHeartbeat.objects.values_list("queue", age))


def queue_state() -> Queue:
    """Return the state of the queue, by the database's clock."""
    age = ExpressionWrapper(Now() - F("due_at"), output_field=DurationField())
    waiting = Q(state__in=[State.QUEUED, State.RETRYING], due_at__lte=Now())
    abandoned = Q(state=State.RUNNING, leased_until__lt=Now() - MAX_STUCK)
    found = Assessment.objects.filter(waiting | abandoned).aggregate(
        oldest=Max(age),
        waiting=Count("pk", filter=waiting),
        stuck=Count("pk", filter=abandoned),
    )
    jobs = Job.objects.filter(state="running", leased_until__lt=Now() - MAX_STUCK).count()
    return Queue(found["oldest"] or timedelta(), found["waiting"], found["stuck"] + jobs)


def _heartbeats() -> dict[str, str]:
    ages = heartbeat_ages()
    return {
        "worker": _alive(
            ages.get(settings.CELERY_TASK_DEFAULT_QUEUE),
            never=_("No worker has reported yet."),
            late=_("No worker has reported for %(seconds)d seconds."),
        ),
        "beat": _alive(
            ages.get(BEAT),
            never=_("The scheduler (beat) has not reported yet."),
            late=_("The scheduler (beat) has not reported for %(seconds)d seconds."),
        ),
    }


def _alive(age: timedelta | None, *, never: str, late: str) -> str:
    if age is None:
        return never
    return OK if age <= HEARTBEAT_MAX_AGE else late % {"seconds": age.total_seconds()}


def _queue(queue: Queue) -> str:
    if queue.stuck:
        return _("%(count)d tasks were abandoned, and no worker has taken them over.") % {
            "count": queue.stuck
        }
    if queue.age > MAX_WAIT:
        return _("The oldest exchange has waited for %(seconds)d seconds.") % {
            "seconds": queue.age.total_seconds()
        }
    return OK


def _model() -> str:
    """Return the state of the environment's chat model, "ok" if it sets none.

    A connection records its own failures.
    """
    if not environment_decides():
        return OK
    answer: str | None = caches["process"].get("health.model")
    if answer is None:
        try:
            asyncio.run(ask_model())
            answer = OK
        except ModelError as error:
            answer = str(error)
        caches["process"].set("health.model", answer, _MODEL_ANSWER_KEPT)
    return answer
