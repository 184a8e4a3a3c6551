"""Compares the database's schema with the one that this version of Ebb knows."""

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

_OURS = {"memory", "assessor", "chat"}


def unknown_migrations(loader: MigrationLoader) -> list[str]:
    """Return the applied migrations of Ebb that this version does not have, sorted."""
    applied = {key for key in loader.applied_migrations if key[0] in _OURS}
    return sorted(f"{app} {name}" for app, name in applied - loader.disk_migrations.keys())


def missing_migrations(executor: MigrationExecutor) -> list[str]:
    """Return the migrations that `manage.py prepare` would apply, in their order."""
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label} {migration.name}" for migration, _ in plan]


def newer_schema() -> str:
    """Return a sentence if a newer Ebb has prepared the database, else "".

    Also "" if the database does not answer: `health/ready` reports that, and the process may start.
    """
    try:
        unknown = unknown_migrations(MigrationLoader(connection))
    except DatabaseError:
        return ""
    if not unknown:
        return ""
    return (
        f"A newer Ebb has prepared this database ({unknown[0]} is unknown here). Run that "
        "version, or restore an earlier backup."
    )
