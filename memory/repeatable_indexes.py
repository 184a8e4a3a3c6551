"""Builds an index in a migration so that the migration can be stopped and run again.

An index that is built concurrently with writes is outside any transaction. If the migration is
stopped half-way, an incomplete index remains, and Django's own operation fails on it at every
further start.
"""

from typing import Any

from django.contrib.postgres import operations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


class AddIndexConcurrently(operations.AddIndexConcurrently):
    """Keeps the index if an earlier run finished it, and rebuilds a half-built one."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        """Create the index, unless it is complete. An interrupted one is dropped first."""
        name = self.index.name
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(
                "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name]
            )
            found = cursor.fetchone()
        if found == (True,):
            return
        if found == (False,):
            # Alone in its statement: inside a transaction it is not allowed.
            schema_editor.execute(
                f"DROP INDEX CONCURRENTLY {schema_editor.quote_name(name)}", params=None
            )
        super().database_forwards(app_label, schema_editor, from_state, to_state)
