"""Settings of the database connections."""

from collections.abc import Mapping
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

ADDRESS_RULE = "DATABASE_URL must look like postgresql://user:password@host:5432/name"


def database_entry(address: str) -> dict[str, Any]:
    """Return a URL as an entry of DATABASES.

    Raises ImproperlyConfigured without repeating the URL, which contains a password.
    """
    try:
        entry: dict[str, Any] = environ.Env.db_url_config(
            address, engine="django.db.backends.postgresql"
        )
    except ValueError:
        raise ImproperlyConfigured(ADDRESS_RULE) from None
    if not entry["NAME"]:
        raise ImproperlyConfigured(f"{ADDRESS_RULE}; the name is missing.")
    return entry


def connection_options(database: Mapping[str, Any], *, most: int) -> dict[str, Any]:
    """Return OPTIONS for this entry of DATABASES, with at most `most` connections."""
    options = dict(database.get("OPTIONS", {}))
    # Prepared statements (memory/sql.py) are planned once, independent of their values. A pooler
    # prepares none, and may refuse the option.
    if not database.get("DISABLE_SERVER_SIDE_CURSORS"):
        once = "-c plan_cache_mode=force_generic_plan"
        options["options"] = f"{options.get('options', '')} {once}".strip()
    # A pool releases connections between requests and while a model works.
    return options | {"pool": {"min_size": 1, "max_size": most, "timeout": 15}}
