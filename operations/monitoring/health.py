"""Readiness of a web process, for load balancers; and the overview's list of all parts.

A web process is ready if it can serve pages and searches. Workers and models may be missing
(operations.monitoring.status): waiting exchanges are stored, and the pages say so.
"""

import select
from contextlib import closing

import psycopg
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from memory.embeddings import EmbeddingError, count_dimensions
from memory.model_connections.choosing import chosen_model
from memory.model_connections.failures import failing_connections
from memory.models import Purpose
from operations.database import libpq_url
from operations.monitoring.status import OK, check_status
from operations.postgres.schema import missing_migrations, unknown_migrations

_PATIENCE = 3  # seconds for a connection, and for the answer to a query

NAMES = {
    "database": gettext_lazy("database"),
    "schema": gettext_lazy("database schema"),
    "static": gettext_lazy("static files"),
    "embedder": gettext_lazy("embedding model"),
    "worker": gettext_lazy("worker"),
    "beat": gettext_lazy("scheduler"),
    "queue": gettext_lazy("queue"),
    "model": gettext_lazy("language model"),
}


@require_GET
@space_page("read")
def health_parts(request: PageRequest, access: Access) -> HttpResponse:
    """Render the overview's fragment with each part and its fault. This may take seconds."""
    names, states = NAMES, check_ready()
    states |= check_status(has_database=states["database"] == OK).parts
    chat = chosen_model(Purpose.CHAT, access.space)
    if chat is None:
        names = NAMES | {"model": gettext_lazy("built-in responder, no language model")}
    elif chat.connection is not None:
        del states["model"]  # a connection records its own failures
    context = {
        "parts": [(names[part], state, state == OK) for part, state in states.items()],
        "failing": failing_connections(access.space),
    }
    return render(request, "memory/memories/_health.html", context)


def check_ready() -> dict[str, str]:
    """Return part → "ok" or a sentence about the fault. Asks no model, no worker and no queue."""
    database = has_database()
    return {
        "database": OK if database else _("The database does not answer."),
        "schema": _schema() if database else _("Unknown: the database is not available."),
        "static": _static(),
        "embedder": _embedder(),
    }


def has_database() -> bool:
    """Return whether the database answers a query within a few seconds."""
    try:
        # The pool would wait longer for an unavailable server than the callers of this check do.
        session = psycopg.connect(libpq_url(settings.DATABASE_URL), connect_timeout=_PATIENCE)
        with closing(session):
            return _answers(session.pgconn)
    except psycopg.Error:
        return False


def _answers(session: PGconn) -> bool:
    """Return whether a query succeeds. A pooler accepts connections while PostgreSQL is away, and
    PgBouncer would hold the query for two minutes."""
    session.send_query(b"SELECT 1")
    answers = select.poll()
    answers.register(session.socket, select.POLLIN)
    if not answers.poll(_PATIENCE * 1000):
        return False
    result = session.get_result()
    return result is not None and result.status == ExecStatus.TUPLES_OK


def _schema() -> str:
    try:
        executor = MigrationExecutor(connection)
        if unknown_migrations(executor.loader):
            return _("This database belongs to a newer version of Ebb. Start that version.")
        if missing_migrations(executor):
            return _(
                "The database has not been migrated to this version of Ebb. Run manage.py prepare."
            )
    except DatabaseError:
        return _("The database does not answer.")
    return OK


def _static() -> str:
    if (settings.STATIC_ROOT / "staticfiles.json").exists():
        return OK
    return _("The static files are missing. Run manage.py prepare on this host.")


def _embedder() -> str:
    """Return the state of the built-in embedding model; "ok" for others, which are not asked."""
    if settings.EBB_EMBEDDING_PROVIDER != "local":
        return OK
    try:
        count_dimensions("local", settings.EBB_EMBEDDING_MODEL)
    except EmbeddingError:
        return _("The built-in embedding model is missing. Run manage.py prepare on this host.")
    return OK
