"""Keys in the database contain the space, and the operations that make them."""

from collections.abc import Iterator

import pytest
from django.db import IntegrityError, connection, models
from django.db.migrations import CreateModel
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from accounts.models import Space
from accounts.models.space_rows import SpaceForeignKey
from foundation.database.space_keys import SpaceKeys
from memory.models import MemoryRevision
from tests.memory.writing import remember
from tests.space_names import models_of_a_space, per_space_tables

_UNIQUE = """
    SELECT i.indrelid::regclass::text, i.indexrelid::regclass::text, i.indisprimary,
        array_agg(a.attname::text ORDER BY a.attnum)
    FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indexrelid
    WHERE i.indisunique GROUP BY 1, 2, 3
"""
_FOREIGN = """
    SELECT c.conrelid::regclass::text, c.confrelid::regclass::text, c.convalidated,
        array_agg(a.attname::text ORDER BY place)
    FROM pg_constraint c, unnest(c.conkey) WITH ORDINALITY AS keys (number, place)
    JOIN pg_attribute a ON a.attnum = number
    WHERE c.contype = 'f' AND a.attrelid = c.conrelid GROUP BY c.oid, 1, 2, 3
"""

NOTE = [
    CreateModel(
        "Note",
        [
            ("id", models.UUIDField(primary_key=True)),
            ("space", models.ForeignKey("accounts.Space", models.CASCADE)),
            ("memory", SpaceForeignKey("memory.Memory", models.CASCADE).clone()),
            ("answers", SpaceForeignKey("self", models.CASCADE, null=True).clone()),
        ],
    ),
    SpaceKeys("Note"),
]
"""What a later migration does for a new table."""


def rows(statement: str) -> list[tuple[str, str, bool, list[str]]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def keys_of(table: str) -> set[tuple[str, ...]]:
    """The columns of a table's foreign keys to per-space tables."""
    return {
        tuple(columns)
        for own, target, _valid, columns in rows(_FOREIGN)
        if own == table and target in {*per_space_tables(), "memory_note"}
    }


@pytest.mark.django_db
def test_each_unique_index_of_a_per_space_table_has_the_space() -> None:
    ours = [row for row in rows(_UNIQUE) if row[0] in per_space_tables()]
    primary = {table: columns for table, _name, is_primary, columns in ours if is_primary}

    assert [name for _table, name, _primary, columns in ours if "space_id" not in columns] == []
    assert primary == {
        model._meta.db_table: [model._meta.pk.column, "space_id"] for model in models_of_a_space()
    }


@pytest.mark.django_db
def test_each_foreign_key_between_per_space_tables_has_the_space_and_is_checked() -> None:
    inside = [row for row in rows(_FOREIGN) if row[1] in per_space_tables()]
    keys = {
        (model._meta.db_table, ("space_id", field.column))
        for model in models_of_a_space()
        for field in model._meta.fields
        if isinstance(field, SpaceForeignKey)
    }

    assert len(keys) >= 12
    assert {(table, tuple(columns)) for table, _target, _valid, columns in inside} == keys
    assert all(valid for _table, _target, valid, _columns in inside)


@pytest.mark.django_db(transaction=True)
def test_a_row_cannot_refer_to_a_row_of_another_space(space: Space, other_space: Space) -> None:
    foreign = remember(other_space, "The user lives in Porto.")
    revision = MemoryRevision(
        space=space, memory=foreign, number=1, content="x", memory_type="fact", importance=0.5
    )

    with pytest.raises(IntegrityError, match="memory_id"):
        revision.save()


class Migrated:
    """The database after operations."""

    def __init__(self, operations: list[Operation]) -> None:
        state = MigrationLoader(connection).project_state()
        self.states = [state]
        self.operations = operations
        for operation in operations:
            state = state.clone()
            operation.state_forwards("memory", state)
            self.states.append(state)
        with connection.schema_editor() as editor:
            for number, operation in enumerate(operations):
                operation.database_forwards("memory", editor, *self.states[number : number + 2])

    @property
    def state(self) -> ProjectState:
        return self.states[-1]


@pytest.fixture
def notes(transactional_db: None) -> Iterator[Migrated]:
    """A new table with keys to another one and to itself."""
    migrated = Migrated(NOTE)
    yield migrated
    with connection.schema_editor() as editor:
        editor.delete_model(migrated.state.apps.get_model("memory", "Note"))


@pytest.mark.django_db(transaction=True)
def test_a_new_table_gets_its_keys(notes: Migrated, space: Space, other_space: Space) -> None:
    assert keys_of("memory_note") == {("space_id", "memory_id"), ("space_id", "answers_id")}
    [primary] = [row[3] for row in rows(_UNIQUE) if row[0] == "memory_note"]
    assert primary == ["id", "space_id"]

    note = notes.state.apps.get_model("memory", "Note")
    own, foreign = remember(space, "I like tea."), remember(other_space, "I like milk.")
    kept = note.objects.create(id=own.pk, space_id=space.pk, memory_id=own.pk)
    with pytest.raises(IntegrityError):
        note.objects.create(id=foreign.pk, space_id=space.pk, memory_id=foreign.pk)
    with pytest.raises(IntegrityError):
        note.objects.create(
            id=foreign.pk, space_id=other_space.pk, memory_id=foreign.pk, answers_id=kept.pk
        )
    assert [found.pk for found in note.objects.all()] == [kept.pk]
