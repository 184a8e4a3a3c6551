"""Health checks for load balancers, people and `make up`."""

import asyncio
from datetime import timedelta

import psycopg
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from assessor.llm import ModelError
from chat.responders import has_model
from config.preconditions import ask_model
from memory.access.authentication import Access
from memory.access.pages import PageRequest, space_page
from memory.models import WorkerHeartbeat

OK = "ok"
# Three missed beats may be chance; six are a failure.
HEARTBEAT_MAX_AGE = timedelta(seconds=60)
_PATIENCE = 3  # seconds for a connection
_MODEL_ANSWER_KEPT = 15  # seconds: frequent probes must not cause as many model requests

NAMES = {
    "database": gettext_lazy("database"),
    "worker": gettext_lazy("worker"),
    "model": gettext_lazy("language model"),
}


@require_GET
@space_page("read")
def health_parts(request: PageRequest, access: Access) -> HttpResponse:
    """Render the overview's fragment with each part and its fault. This may take seconds."""
    names = NAMES if has_model() else NAMES | {"model": _("built-in responder, no language model")}
    parts = [(names[part], state, state == OK) for part, state in check_ready().items()]
    return render(request, "memory/memories/_health.html", {"parts": parts})


def check_ready() -> dict[str, str]:
    """Return part → "ok" or a sentence about the fault.

    Calls the model, so this may take seconds.
    """
    database = _database()
    return {
        "database": database,
        "worker": _worker() if database == OK else _("Unknown: the database is not available."),
        "model": _model(),
    }


def _database() -> str:
    try:
        # The pool would wait longer for an unavailable server than the callers of this check do.
        psycopg.connect(settings.DATABASE_URL, connect_timeout=_PATIENCE).close()
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return _("The database has not been migrated to this version of Ebb.")
    except (DatabaseError, psycopg.Error):
        return _("The database does not answer.")
    return OK


def _worker() -> str:
    queue = settings.CELERY_TASK_DEFAULT_QUEUE
    heartbeat = WorkerHeartbeat.objects.filter(queue=queue).first()
    if heartbeat is None:
        return _("No worker has reported yet.")
    if timezone.now() - heartbeat.at > HEARTBEAT_MAX_AGE:
        return _("No worker has reported since %(time)s.") % {
            "time": heartbeat.at.isoformat("T", "seconds")
        }
    return OK


def _model() -> str:
    """Return the state of the configured chat model; the built-in one is always "ok"."""
    if not has_model():
        return OK
    answer: str | None = cache.get("health.model")
    if answer is None:
        try:
            asyncio.run(ask_model())
            answer = OK
        except ModelError as error:
            answer = str(error)
        cache.set("health.model", answer, _MODEL_ANSWER_KEPT)
    return answer
