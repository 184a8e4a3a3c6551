"""Addresses of the queue in PostgreSQL, including the form that Celery's pgmq transport reads."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from operations.database import libpq_url

_PGMQ_FIELDS = ("host", "port", "dbname", "user", "password")


def queue_url(broker_url: str, database_url: str) -> str:
    """Return the URL of the database with the queue, for libpq.

    `pgmq://` alone means the database of DATABASE_URL. Raises ImproperlyConfigured for an address
    with options, which Celery would refuse with a traceback.
    """
    own = broker_url.partition("//")[2]
    if "?" in own:
        raise ImproperlyConfigured(
            "CELERY_BROKER_URL must be like pgmq://user:password@host:5432/name, without options. "
            "libpq reads some from other variables, such as PGSSLMODE."
        )
    return f"postgresql://{own}" if own else libpq_url(database_url)


def listen_address(broker_url: str, database_url: str, *, shared: bool) -> str:
    """Return the address of PostgreSQL itself, for LISTEN; "" if only a pooler's address is known.

    With `shared`, `database_url` leads to a pooler that does not pass on notifications.
    """
    if not shared:
        return libpq_url(database_url)
    is_direct = broker_url.startswith("pgmq:") and broker_url.partition("//")[2]
    return queue_url(broker_url, database_url) if is_direct else ""


def pgmq_address(database_url: str) -> str:
    """Return `database_url` for Celery's pgmq transport, as key=value pairs.

    pgmq splits a URL into five fields, drops the rest (`?host=` and `sslmode`) and joins the fields
    without quotes. So each field is quoted here, and the last one carries the rest. A URL that
    libpq cannot read is returned unchanged: `prepare` reports the error.
    """
    try:
        options = conninfo_to_dict(database_url)
    except ProgrammingError:
        return database_url
    fields = {name: _quoted(str(options.pop(name, ""))) for name in _PGMQ_FIELDS}
    if options:
        fields["password"] += " " + make_conninfo("", **options)
    return make_conninfo("", **fields)


def transport_options(broker_url: str, database_url: str) -> dict[str, Any]:
    """Return Celery's options for a queue in PostgreSQL; none for another."""
    if not broker_url.startswith("pgmq:"):
        return {}
    return {
        "conn_string": pgmq_address(queue_url(broker_url, database_url)),
        "init_extension": False,
        "use_notify": True,
        "wait_time_seconds": 0,
        "notify_throttle_interval_ms": 0,
        # A dead worker's message is delivered again after this; the row's lease decides which
        # worker may write.
        "visibility_timeout": 60,
        "pool_timeout": 5,
    }


def _quoted(value: str) -> str:
    escaped = value.replace("\\", r"\\").replace("'", r"\'")
    return f"'{escaped}'"
