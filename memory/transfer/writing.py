"""Writing of imported rows, many at once. Existing rows stay unchanged."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.models import Space
from foundation.actors import Actor
from memory.embeddings.services import Made, embed_documents, store_vectors
from memory.models import Memory, MemoryEvent, PolicyVersion, Reason, Status
from memory.models.history import Action
from memory.models.policies import current_policy
from memory.store import conversations
from memory.store.history import record
from memory.store.services import insert_memories
from memory.text.passages import passage_of
from memory.transfer.identity import Placed, places
from memory.transfer.sections import Row, Section, section_of
from memory.transfer.sources import Entry


@dataclass(frozen=True)
class Target:
    """The destination of an import, and its actor. `keep_forever` pins the live memories."""

    space: Space
    actor: Actor
    now: datetime
    is_legacy: bool = False
    keep_forever: bool = False
    takes_policy: bool = False


@dataclass(frozen=True)
class Ready:
    """Rows of one section with their ids in this space, and the rows that cannot be written.

    Memories include their vectors, computed before a transaction begins.
    """

    section: Section
    new: Sequence[Row]
    known: int
    wrong: Sequence[tuple[int, str]] = ()
    texts: Sequence[str] = ()
    made: Made = field(default_factory=dict)


def prepare(target: Target, section: Section, items: Sequence[Entry]) -> Ready:
    """Return the rows of these entries that must be written. Raises EmbeddingError."""
    own: Mapping[UUID, Placed] = {}
    if section.has_ids:
        own = places(target.space, section, [item.row["id"] for item in items])
        items, given = [item for item in items if not own[item.row["id"]].known], len(items)
    else:
        given = len(items)
    known = given - len(items)
    named = {
        kind: places(target.space, other, _names(items, section, kind))
        for kind in {*section.names.values()}
        if (other := section_of(kind)) is not None
    }
    new, wrong = [], []
    for item in items:
        try:
            new.append(_placed(section, item.row, own, named))
        except ValueError as error:
            wrong.append((item.number, str(error)))
    if section.model is not Memory or not new:
        return Ready(section, new, known, wrong)
    texts = [passage_of(Memory(**row)).embedded for row in new]
    return Ready(section, new, known, wrong, texts, embed_documents(target.space, texts))


def store(target: Target, ready: Ready) -> tuple[int, int]:
    """Write the prepared rows in the caller's transaction; return the numbers of new and known
    rows."""
    if not ready.new:
        return 0, ready.known
    if ready.section.model is Memory:
        _store_memories(target, ready)
        return len(ready.new), ready.known
    if ready.section.model is PolicyVersion and not target.takes_policy:
        return 0, ready.known + len(ready.new)
    new = _insert(target.space, ready.section, ready.new)
    return new, ready.known + len(ready.new) - new


def _names(items: Iterable[Entry], section: Section, kind: str) -> set[UUID]:
    columns = [column for column, named in section.names.items() if named == kind]
    values = (_uuid(item.row[column]) for item in items for column in columns)
    return {value for value in values if value is not None}


def _uuid(value: object) -> UUID | None:
    """Return the id in a column, or None; a conversation's name may be any text."""
    if isinstance(value, str):
        try:
            return UUID(value) if str(UUID(value)) == value else None
        except ValueError:
            return None
    return value if isinstance(value, UUID) else None


def _placed(
    section: Section,
    row: Row,
    own: Mapping[UUID, Placed],
    named: Mapping[str, Mapping[UUID, Placed]],
) -> Row:
    """Return the row with its ids in this space; raises ValueError if a row it needs does not
    exist."""
    changed = dict(row)
    for column, kind in section.names.items():
        value = _uuid(row[column])
        if value is None or kind not in named:
            continue
        place = named[kind][value]
        changed[column] = type(row[column])(str(place.id))
        if column in section.keys and not place.known:
            in_this_batch = kind == section.kind and value in own
            if not in_this_batch and not section.keys[column].null:
                raise ValueError(f"{column}: unknown {kind}")
            if not in_this_batch:
                changed[column] = None
    if section.has_ids:
        changed["id"] = own[row["id"]].id
    return changed


def _store_memories(target: Target, ready: Ready) -> None:
    space, policy = target.space, current_policy(target.space)
    memories = [Memory(space_id=space.pk, short_id=row["id"].hex[:8], **row) for row in ready.new]
    if target.keep_forever:
        for memory in memories:
            memory.pinned = memory.pinned or memory.status == Status.LIVE
    texts = conversations.join(space, memories, keep_places=True)
    insert_memories(space, memories, texts, language=policy.document.language)
    store_vectors(space=space, memories=memories, texts=ready.texts, made=ready.made)
    if target.is_legacy:  # its file has no history
        record(
            memories=memories,
            action=Action.CREATED,
            actor=target.actor,
            policy=policy,
            now=target.now,
            reason=Reason("imported"),
        )


def _insert(space: Space, section: Section, rows: Sequence[Row]) -> int:
    """Insert the rows that do not exist yet, in their order; return their number."""
    columns = {
        str(column.column): str(column.db_type(connection)) for column in section.fields.values()
    }
    values = [
        {"place": place, **{str(f.column): row[name] for name, f in section.fields.items()}}
        for place, row in enumerate(rows)
    ]
    with connection.cursor() as cursor:
        if section.model is MemoryEvent:  # its table has no key that would refuse known rows
            cursor.execute(_known_events(columns), _values(space, values))
            known = {place for (place,) in cursor.fetchall()}
            values = [row for row in values if row["place"] not in known]
        cursor.execute(_insertion(section, columns), _values(space, values))
        return int(cursor.rowcount)


def _values(space: Space, rows: Sequence[Row]) -> dict[str, Any]:
    return {"space": space.pk, "rows": json.dumps(rows, default=str, ensure_ascii=False)}


def _new(columns: Mapping[str, str]) -> str:
    """Return the rows of one JSON value as a table, whose columns have the types of the table (see
    store.index_sql)."""
    types = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    return f"json_to_recordset(%(rows)s) AS new(place int, {types})"


def _known_events(columns: Mapping[str, str]) -> str:
    """Return the query for the places of the events that exist already: all columns are equal."""
    same = " AND ".join(f"old.{name} IS NOT DISTINCT FROM new.{name}" for name in columns)
    return f"""
        SELECT DISTINCT new.place FROM {_new(columns)}
        JOIN {MemoryEvent._meta.db_table} old
            ON old.space_id = %(space)s AND old.memory_id = new.memory_id AND old.at = new.at
        WHERE {same}
    """  # noqa: S608 - the model's own names; values are parameters


def _insertion(section: Section, columns: Mapping[str, str]) -> str:
    """Return the statement, with RETURNING, without which Citus counts known rows too."""
    return f"""
        INSERT INTO {section.model._meta.db_table} (space_id, {", ".join(columns)})
        SELECT %(space)s, {", ".join(f"new.{name}" for name in columns)}
        FROM {_new(columns)}
        ORDER BY new.place
        ON CONFLICT DO NOTHING
        RETURNING 1
    """  # noqa: S608 - as above
