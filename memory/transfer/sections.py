"""The sections of a space's file: one for each table, with one line for each row.

A section's fields are its table's own columns, so new columns are exported automatically. The apps
above contribute their tables (`contribute`, in their AppConfig), after this app's.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Field, ForeignKey, GeneratedField, Model, OrderBy, UUIDField

from foundation.readers import Reader
from memory.models import (
    Memory,
    MemoryEvent,
    MemoryRevision,
    PolicyVersion,
    RelevanceMark,
    SavedQuery,
)
from memory.transfer import checks

FORMAT, VERSION = "ebb-export", 1

Row = dict[str, Any]


def _nothing(row: Row) -> None:
    return None


def _everything(row: Row, reader: Reader) -> None:
    return None


@dataclass(frozen=True)
class Section:
    """One table of a space.

    `order` is the order of its lines; a row that others of the table refer to comes before them.
    `left_out` are columns that belong to the installation. `former` are columns of earlier
    versions, which are ignored. `names` maps columns to the section
    whose rows they identify. `owner` is the path to the column with the user whom a row belongs to;
    "" for tables that have none, whose rows every export contains. `check` raises ValueError for
    values that the columns' types allow and the table does not. `arrives` adapts a row that would
    be wrong in another installation. `leaves` removes from an exported row what its reader may not
    see.
    """

    kind: str
    model: type[Model]
    order: tuple[str | OrderBy, ...]
    left_out: frozenset[str] = frozenset()
    former: frozenset[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)
    owner: str = ""
    check: Callable[[Row], None] = _nothing
    arrives: Callable[[Row], None] = _nothing
    leaves: Callable[[Row, Reader], None] = _everything

    @cached_property
    def has_ids(self) -> bool:
        """True if the rows have ids that are valid elsewhere; otherwise rows are compared by
        content."""
        return isinstance(self.model._meta.pk, UUIDField)

    @cached_property
    def fields(self) -> "dict[str, Field[Any, Any]]":
        """The columns by their names in a line."""
        out = {"space_id", *self.left_out} | (set() if self.has_ids else {"id"})
        return {
            column.attname: column
            for column in self.model._meta.concrete_fields
            if column.attname not in out and not isinstance(column, GeneratedField)
        }

    @cached_property
    def keys(self) -> "dict[str, ForeignKey[Any, Any]]":
        """The columns that are foreign keys."""
        return {name: f for name, f in self.fields.items() if isinstance(f, ForeignKey)}


_SECTIONS: dict[str, Section] = {
    section.kind: section
    for section in (
        Section("policy", PolicyVersion, ("version",), check=checks.policy),
        Section(
            "memory",
            Memory,
            ("source_conversation", "created_at", "source_position", "id"),
            left_out=frozenset({"short_id", "search"}),
            names={
                "source_assessment": "assessment",
                "source_conversation": "conversation",
                "superseded_by": "memory",
            },
            owner="user_id",
            check=checks.memory,
        ),
        Section(
            "revision",
            MemoryRevision,
            ("memory_id", "number"),
            names={"memory_id": "memory"},
            owner="memory__user_id",
            check=checks.revision,
        ),
        Section("event", MemoryEvent, ("id",), names={"memory_id": "memory"}, owner="user_id"),
        Section(
            "mark",
            RelevanceMark,
            ("id",),
            left_out=frozenset({"made_by_id"}),
            names={"memory_id": "memory"},
            owner="memory__user_id",
        ),
        Section("saved_query", SavedQuery, ("id",)),
    )
}


def contribute(*sections: Section) -> None:
    """Add the tables of an app above this one."""
    _SECTIONS.update({section.kind: section for section in sections})


def sections() -> Iterator[Section]:
    """Return all sections, in the order of the file: tables come before their references."""
    yield from _SECTIONS.values()


def section_of(kind: object) -> Section | None:
    """Return the section of this kind, or None."""
    return _SECTIONS.get(kind) if isinstance(kind, str) else None
