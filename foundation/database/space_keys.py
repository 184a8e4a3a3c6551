"""The operation of migrations for keys that contain the space.

The primary key of a per-space table is (id, space_id), and a foreign key between two such tables is
(space_id, …_id). So a database that distributes the tables by `space_id` can check both on one
shard. In Django's models the primary key stays `id`, and the foreign keys have no constraint
(`db_constraint=False`): Django knows no foreign keys of two columns. The id is the first column of
the index, so that looking for an id alone uses it, as the admin and Django's deletes do.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

_PRIMARY_KEY = """
    SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'p'
"""
_DISTRIBUTE = "SELECT create_distributed_table(%s, 'space_id', colocate_with => 'memory_memory')"


class SpaceKeys(Operation):
    """Puts the space into the primary and foreign keys of these models' new tables. In a
    distributed database it also distributes the tables.
    """

    reversible = False

    def __init__(self, *models: str) -> None:
        self.models = models

    def describe(self) -> str:
        return f"Put the space into the keys of {', '.join(self.models)}"

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change nothing: to Django the keys are as before."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Put the space into the tables' keys, and distribute them on a cluster."""
        metas = [to_state.apps.get_model(app_label, name)._meta for name in self.models]
        for meta in metas:
            _widen_primary_key(schema_editor, meta)
            if _is_distributed(schema_editor):
                # References to a copied table allow one connection to each node.
                schema_editor.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
                schema_editor.execute(_DISTRIBUTE, [meta.db_table])
        for meta in metas:
            for field in meta.fields:
                if not getattr(field, "db_constraint", True):
                    _add_foreign_key(schema_editor, meta.db_table, field)


def _is_distributed(schema_editor: BaseDatabaseSchemaEditor) -> bool:
    """Return whether Citus distributes the per-space tables of this database."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('pg_dist_partition') IS NOT NULL")
        if cursor.fetchone() == (False,):
            return False
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_dist_partition"
            " WHERE logicalrelid = 'memory_memory'::regclass)"
        )
        return bool(cursor.fetchone() == (True,))


def _widen_primary_key(schema_editor: BaseDatabaseSchemaEditor, meta: Any) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_PRIMARY_KEY, [meta.db_table])
        [primary] = cursor.fetchone()
    schema_editor.execute(
        f'ALTER TABLE {meta.db_table} DROP CONSTRAINT "{primary}",'
        f' ADD CONSTRAINT "{primary}" PRIMARY KEY ({meta.pk.column}, space_id)'
    )


def _add_foreign_key(schema_editor: BaseDatabaseSchemaEditor, table: str, field: Any) -> None:
    name = f"{table}_{field.column}_in_space"[:63]  # PostgreSQL's longest name
    target = field.related_model._meta
    schema_editor.execute(
        f'ALTER TABLE {table} ADD CONSTRAINT "{name}" FOREIGN KEY (space_id, {field.column})'
        f" REFERENCES {target.db_table} (space_id, {target.pk.column})"
        " DEFERRABLE INITIALLY DEFERRED"
    )
