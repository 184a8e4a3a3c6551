"""Converts DATABASE_URL to a broker URL that reaches PostgreSQL unchanged."""

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

_PGMQ_FIELDS = ("host", "port", "dbname", "user", "password")


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


def _quoted(value: str) -> str:
    escaped = value.replace("\\", r"\\").replace("'", r"\'")
    return f"'{escaped}'"
