"""Distribution of the per-space tables over the nodes of a Citus cluster (docs/citus.md).

Each per-space table is distributed by `space_id`, all in one colocation group: the rows of a space
are on one node. Tables that they refer to are copied to all nodes. Other tables stay on the
coordinator.
"""

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db import connection, models

from accounts.models.space_rows import SpaceRow
from memory.models import Memory

_FOREIGN_KEYS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE contype = 'f' AND conrelid = ANY(%(ours)s::regclass[])
        AND (conrelid = ANY(%(missing)s::regclass[]) OR confrelid = ANY(%(missing)s::regclass[]))
    ORDER BY conname
"""
# A reference table, and only that, is of the method "none" and replicated by transactions.
_DONE = """
    SELECT logicalrelid::regclass::text FROM pg_dist_partition
    WHERE partmethod = 'h' OR (partmethod = 'n' AND repmodel = 't')
"""
_NODES = """
    SELECT count(*) FILTER (WHERE groupid = 0), count(*) FILTER (WHERE shouldhaveshards)
    FROM pg_dist_node WHERE isactive AND noderole = 'primary'
"""
_SILENT = """
    SELECT DISTINCT to_nodename, to_nodeport FROM citus_check_cluster_node_health()
    WHERE result IS NOT TRUE ORDER BY 1, 2
"""
FIRST = Memory._meta.db_table
"""The table whose colocation group the others join."""


class CannotDistribute(Exception):
    """The database is not a cluster that is ready; the text says what to do. Nothing was
    changed.
    """


def has_citus() -> bool:
    """Return whether the database has the extension Citus."""
    return bool(_rows("SELECT FROM pg_extension WHERE extname = 'citus'"))


def distributed_tables() -> list[str]:
    """Return the per-space tables, the one of memories first."""
    tables = {model._meta.db_table for model in _per_space()}
    return [FIRST, *sorted(tables - {FIRST})]


def reference_tables() -> list[str]:
    """Return the tables that per-space tables refer to, each after those that it refers to."""
    found: list[str] = []

    def visit(model: type[models.Model]) -> None:
        for target in _targets(model):
            if not issubclass(target, SpaceRow) and target._meta.db_table not in found:
                visit(target)
                found.append(target._meta.db_table)

    for model in _per_space():
        visit(model)
    return found


def missing_tables() -> list[str]:
    """Return the tables that are not distributed or copied yet."""
    done = {name for [name] in _rows(_DONE)}
    return [name for name in (*reference_tables(), *distributed_tables()) if name not in done]


def silent_nodes() -> list[str]:
    """Return the addresses of the nodes that do not answer."""
    return [f"{host}:{port}" for host, port in _rows(_SILENT)]


def number_of_nodes() -> int:
    """Return the number of nodes that hold spaces."""
    [[_coordinators, nodes]] = _rows(_NODES)
    return int(nodes)


def statements() -> list[str]:
    """Return the SQL that is left to do, for one transaction. Raises CannotDistribute."""
    _check_cluster()
    missing = missing_tables()
    if not missing:
        return []
    shared, ours = reference_tables(), distributed_tables()
    of_spaces = [name for name in ours if name in missing]
    # A distributed table cannot refer to a local one. And Citus would convert all tables that are
    # connected by keys with each new reference table.
    keys = _rows(_FOREIGN_KEYS, {"ours": ours, "missing": missing})
    return [
        # References to a copied table allow one connection to each node.
        "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
        *(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"' for table, name, _definition in keys),
        *(f"SELECT create_reference_table('{name}')" for name in shared if name in missing),
        *map(_distribution, of_spaces),
        *(f"SELECT truncate_local_data_after_distributing_table('{name}')" for name in of_spaces),
        *(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {rest}' for table, name, rest in keys),
    ]


def _distribution(table: str) -> str:
    group = "none" if table == FIRST else FIRST
    return f"SELECT create_distributed_table('{table}', 'space_id', colocate_with => '{group}')"


def _check_cluster() -> None:
    if not has_citus():
        raise CannotDistribute(
            "The database does not have the extension Citus. docs/citus.md has the steps."
        )
    [[coordinators, nodes]] = _rows(_NODES)
    if not coordinators:
        raise CannotDistribute(
            "The coordinator has no address for the other nodes. Run this in the database: "
            "SELECT citus_set_coordinator_host('…', 5432);"
        )
    if not nodes:
        raise CannotDistribute(
            "There is no node for the spaces. Run this in the database for each node: "
            "SELECT citus_add_node('…', 5432);"
        )


def _per_space() -> Iterable[type[models.Model]]:
    return [model for model in apps.get_models() if issubclass(model, SpaceRow)]


def _targets(model: type[models.Model]) -> list[Any]:
    keys = [field for field in model._meta.fields if isinstance(field, models.ForeignKey)]
    return [field.related_model for field in keys]


def _rows(statement: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
