"""The address of the queue inside DATABASE_URL, in the one form that reaches PostgreSQL whole."""

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

_PGMQ_FIELDS = ("host", "port", "dbname", "user", "password")


def pgmq_address(database_url: str) -> str:
    """`database_url` for Celery's pgmq transport, as key=value pairs.

    pgmq takes an address apart into five fields, forgets the rest (`?host=` and `sslmode` of a URL)
    and puts the five together again unquoted. So each goes in quoted, and the last one brings the
    rest along. An address libpq cannot read is returned as it is: `prepare` says what is wrong.
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
