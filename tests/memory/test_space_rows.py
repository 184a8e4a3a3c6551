"""Rows of one space, and the keys between them, name the space in each statement."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import ForeignKey, QuerySet
from django.test.utils import CaptureQueriesContext

from accounts.models import Space
from accounts.models.space_rows import SpaceForeignKey
from assessor.lessons import Lesson
from assessor.models import Assessment
from chat.models import Message
from memory.models import JobPart, Memory, MemoryRevision
from tests.assessor.outbox import taught
from tests.memory.writing import remember
from tests.space_names import SHARED, models_of_a_space, unnamed_in


def test_every_key_between_rows_of_a_space_is_one() -> None:
    keys = [field for model in models_of_a_space() for field in model._meta.fields]
    inside = [
        field
        for field in keys
        if isinstance(field, ForeignKey) and field.related_model.__name__ not in SHARED
    ]

    assert len(inside) >= 12
    assert [field for field in inside if not isinstance(field, SpaceForeignKey)] == []


def test_in_migrations_it_is_a_foreign_key_without_a_constraint() -> None:
    field = MemoryRevision._meta.get_field("memory")

    _name, path, _arguments, options = field.deconstruct()
    assert path == "django.db.models.ForeignKey"
    assert options["db_constraint"] is False


@pytest.mark.parametrize(
    "rows",
    [
        Assessment.objects.filter(taught__memory__core=True),
        Lesson.objects.select_related("memory", "assessment"),
        Message.objects.filter(conversation__title="a").exclude(assessment__state="done"),
        JobPart.objects.filter(job__kind="import", job__parts__number=1),
    ],
)
def test_a_join_names_the_space_of_both_tables(rows: QuerySet[Any], space: Space) -> None:
    with CaptureQueriesContext(connection) as sent:
        assert list(rows.filter(space_id=space.pk)) == []

    [statement] = [query["sql"] for query in sent]
    assert "JOIN" in statement
    assert unnamed_in(statement) == ()


def test_saving_and_reloading_a_row_name_its_space(space: Space) -> None:
    memory = remember(space, "The user lives in Porto.")
    Memory.objects.filter(pk=memory.pk).update(content="The user lives in Faro.")

    with CaptureQueriesContext(connection) as sent:
        memory.pinned = True
        memory.save(update_fields=["pinned"])
        memory.refresh_from_db()
        without_content = Memory.objects.in_space(space).defer("content").get()
        assert without_content.content == memory.content == "The user lives in Faro."
    assert memory.pinned
    statements = [query["sql"] for query in sent if "memory_memory" in query["sql"]]
    assert len(statements) == 4
    assert {unnamed_in(text) for text in statements} == {()}


def test_the_row_at_the_other_end_is_looked_up_in_its_space(space: Space) -> None:
    memory = remember(space, "The user lives in Porto.")
    taught(Assessment.objects.create(space=space, user_message="I live in Porto"), memory)
    found = Lesson.objects.get(space=space)

    with CaptureQueriesContext(connection) as sent:
        assert found.memory == memory
    assert [unnamed_in(query["sql"]) for query in sent] == [()]


def test_a_row_of_another_space_is_not_joined(space: Space, other_space: Space) -> None:
    foreign = remember(other_space, "The user lives in Porto.")
    row = Assessment.objects.create(space=space, user_message="I live in Porto")
    lesson = taught(row, foreign)

    rows = Lesson.objects.filter(space=space)
    assert not rows.filter(memory__content__contains="Porto").exists()
    lesson.delete()  # the database would refuse the key at the end
