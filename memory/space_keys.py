"""Operations of migrations for keys that contain the space.

The primary key of a per-space table is (id, space_id), and a foreign key between two such tables is
(space_id, …_id). So a database that distributes the tables by `space_id` can check both on one
shard. In Django's models the primary key stays `id`, and the foreign keys have no constraint
(`db_constraint=False`): Django knows no foreign keys of two columns. The id is the first column of
the index, so that looking for an id alone uses it, as the admin and Django's deletes do.
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.migrations.utils import resolve_relation

_PRIMARY_KEY = """
    SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'p'
"""
# The columns of a key, except the space; a key of this kind has one.
_KEYS_TO = """
    SELECT keys.conname, keys.conrelid::regclass::text, own.attname
    FROM pg_constraint AS keys JOIN pg_attribute AS own
        ON own.attrelid = keys.conrelid AND own.attnum = ANY(keys.conkey)
    WHERE keys.contype = 'f' AND keys.confrelid = %s::regclass AND own.attname <> 'space_id'
    ORDER BY keys.conname
"""
_DISTRIBUTE = "SELECT create_distributed_table(%s, 'space_id', colocate_with => 'memory_memory')"


class SpaceKeys(Operation):
    """Puts the space into the primary keys of these models' tables, and into all foreign keys to
    them. In a distributed database it also distributes the tables.
    """

    reversible = True

    def __init__(self, *models: str) -> None:
        self.models = [model.lower() for model in models]

    def describe(self) -> str:
        return f"Put the space into the keys of {', '.join(self.models)}"

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Mark the keys to these tables as free of Django's own constraints."""
        targets = {(app_label, name) for name in self.models}
        found = [
            (app, model, name, field)
            for (app, model), its in state.models.items()
            for name, field in its.fields.items()
            if isinstance(field, models.ForeignKey)
            and resolve_relation(field.remote_field.model, app, model) in targets
        ]
        for app, model, name, field in found:
            _name, _path, arguments, options = field.deconstruct()
            options["db_constraint"] = False
            changed = models.ForeignKey(*arguments, **options)
            state.alter_field(app, model, name, changed, preserve_default=True)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Put the space into the tables' keys, and distribute them on a cluster."""
        for name in self.models:
            meta = to_state.apps.get_model(app_label, name)._meta
            _rebuild_keys(schema_editor, meta, with_space=True)
            if _is_distributed(schema_editor):
                # References to a copied table allow one connection to each node.
                schema_editor.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
                schema_editor.execute(_DISTRIBUTE, [meta.db_table])

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Take the space out of the tables' keys."""
        for name in self.models:
            meta = to_state.apps.get_model(app_label, name)._meta
            _rebuild_keys(schema_editor, meta, with_space=False)


class AddSpaceForeignKey(Operation):
    """Adds the constraint of a foreign key to a model that has its SpaceKeys."""

    reversible = True

    def __init__(self, model: str, name: str) -> None:
        self.model, self.name = model.lower(), name

    def describe(self) -> str:
        return f"Add the constraint of the foreign key {self.model}.{self.name}"

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change nothing: the field is in the state, and its constraint is not."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Add the constraint over space and id."""
        table, field = self._found(app_label, to_state)
        target = field.related_model._meta
        key = _foreign_key(
            self._constraint(table, field), field.column, target.db_table, target.pk.column
        )
        schema_editor.execute(f"ALTER TABLE {table} ADD {key}")

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Drop the constraint."""
        table, field = self._found(app_label, from_state)
        schema_editor.execute(
            f"ALTER TABLE {table} DROP CONSTRAINT {self._constraint(table, field)}"
        )

    def _found(self, app_label: str, state: ProjectState) -> tuple[str, Any]:
        meta = state.apps.get_model(app_label, self.model)._meta
        return meta.db_table, meta.get_field(self.name)

    @staticmethod
    def _constraint(table: str, field: Any) -> str:
        return f"{table}_{field.column}_in_space"[:63]  # PostgreSQL's longest name


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


def _rebuild_keys(schema_editor: BaseDatabaseSchemaEditor, meta: Any, *, with_space: bool) -> None:
    """Replace the primary key of a table, and the foreign keys to it, which depend on it."""
    table, pk = meta.db_table, meta.pk.column
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_PRIMARY_KEY, [table])
        [primary] = cursor.fetchone()
        cursor.execute(_KEYS_TO, [table])
        keys = cursor.fetchall()
    for name, own_table, _column in keys:
        schema_editor.execute(f'ALTER TABLE {own_table} DROP CONSTRAINT "{name}"')
    columns = f"{pk}, space_id" if with_space else pk
    schema_editor.execute(
        f'ALTER TABLE {table} DROP CONSTRAINT "{primary}",'
        f' ADD CONSTRAINT "{primary}" PRIMARY KEY ({columns})'
    )
    for name, own_table, column in keys:
        key = _foreign_key(name, column, table, pk, with_space=with_space)
        schema_editor.execute(f"ALTER TABLE {own_table} ADD {key}")


def _foreign_key(
    name: str, column: str, target: str, target_pk: str, *, with_space: bool = True
) -> str:
    space = "space_id, " if with_space else ""
    return (
        f'CONSTRAINT "{name}" FOREIGN KEY ({space}{column})'
        f" REFERENCES {target} ({space}{target_pk}) DEFERRABLE INITIALLY DEFERRED"
    )
