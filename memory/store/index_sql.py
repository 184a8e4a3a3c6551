"""SQL statements for the index of memories: many rows at once, with PostgreSQL computing the
tsvector.

Rows are passed as one JSON value, whose columns have the types of the table. With Django's
expressions each row's tsvector would be compiled separately, which takes longer than everything
else.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.models import Space
from memory.models import Memory
from memory.text import lexemes
from memory.text.passages import REACH, IndexTexts

ROWS_AT_ONCE = 500

_MEMORY = Memory._meta.db_table
_FIELDS = {
    str(field.column): field.attname
    for field in Memory._meta.concrete_fields
    if field.name != "search"
}
_COLUMNS = {
    column: str(Memory._meta.get_field(name).db_type(connection))
    for column, name in _FIELDS.items()
}
_TEXTS = dict.fromkeys(IndexTexts._fields, "text")
_VECTOR = " || ".join(
    f"setweight(to_tsvector(%(configuration)s::regconfig, new.{label}), '{label.upper()}')"
    for label in IndexTexts._fields
)
_INSERT = f"""
    INSERT INTO {_MEMORY} ({", ".join(_COLUMNS)}, search)
    SELECT {", ".join(f"new.{column}" for column in _COLUMNS)}, {_VECTOR}
    FROM json_to_recordset(%(rows)s)
        AS new({", ".join(f"{name} {kind}" for name, kind in (_COLUMNS | _TEXTS).items())})
"""  # noqa: S608 - put together from the model's own names; values are parameters
_UPDATE = f"""
    UPDATE {_MEMORY} m SET search = {_VECTOR}
    FROM json_to_recordset(%(rows)s) AS new(id uuid, a text, b text, c text, d text)
    WHERE m.space_id = %(space)s AND m.id = new.id
"""  # noqa: S608 - as above

# A conversation's turns in order. The third comparison restricts each part to the rows of the
# index `memory_turns`.
_TURNS_OF = f"""
    SELECT id, created_at, source_position FROM {_MEMORY}
    WHERE space_id = %(space)s AND source_conversation = stretch.conversation
        AND source_conversation <> '' AND user_id IS NOT DISTINCT FROM stretch.user_id
"""  # noqa: S608 - as above
_PLACE = "(created_at, source_position)"
_SINCE, _UNTIL = "(stretch.since, stretch.since_place)", "(stretch.until, stretch.until_place)"
_STRETCHES = f"""
    SELECT turn.id
    FROM unnest(%(conversations)s::text[], %(users)s::text[], %(since)s::timestamptz[],
        %(since_places)s::int[],
        %(until)s::timestamptz[], %(until_places)s::int[])
        AS stretch(conversation, user_id, since, since_place, until, until_place)
    CROSS JOIN LATERAL (
        ({_TURNS_OF} AND {_PLACE} <= {_SINCE}
            ORDER BY created_at DESC, source_position DESC LIMIT {2 * REACH + 1})
        UNION ALL
        ({_TURNS_OF} AND {_PLACE} > {_SINCE} AND {_PLACE} <= {_UNTIL})
        UNION ALL
        ({_TURNS_OF} AND {_PLACE} > {_UNTIL}
            ORDER BY created_at, source_position LIMIT {2 * REACH})
    ) AS turn
"""  # noqa: S608 - as above
_HOLD_ALL = f"""
    SELECT count(*) FROM (
        SELECT id FROM {_MEMORY} WHERE space_id = %s ORDER BY id FOR NO KEY UPDATE
    ) AS held
"""  # noqa: S608 - as above


@dataclass(frozen=True)
class Stretch:
    """A part of a conversation, from one position in it (moment, position) to another. `talk` is
    the conversation and its user."""

    talk: tuple[str, str | None]
    first: tuple[datetime, int]
    last: tuple[datetime, int]


def turn_ids(space: Space, stretches: Sequence[Stretch]) -> list[UUID]:
    """Return the ids of the turns in each stretch, including its ends, and of twice REACH turns
    before and after it."""
    values: dict[str, Any] = {
        "space": space.pk,
        "conversations": [stretch.talk[0] for stretch in stretches],
        "users": [stretch.talk[1] for stretch in stretches],
        "since": [stretch.first[0] for stretch in stretches],
        "since_places": [stretch.first[1] for stretch in stretches],
        "until": [stretch.last[0] for stretch in stretches],
        "until_places": [stretch.last[1] for stretch in stretches],
    }
    with connection.cursor() as cursor:
        cursor.execute(_STRETCHES, values)
        return [id_ for (id_,) in cursor.fetchall()]


def lock_all(space: Space) -> None:
    """Lock every memory of the space until the transaction ends, ordered by id."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLD_ALL, [space.pk])


def insert(memories: Sequence[Memory], texts: Mapping[UUID, IndexTexts], *, language: str) -> None:
    """Insert new memories with their index texts."""
    rows = (
        {column: getattr(memory, name) for column, name in _FIELDS.items()}
        | texts[memory.pk]._asdict()
        for memory in memories
    )
    _execute(_INSERT, rows, {"configuration": lexemes.configuration(language)})


def index(space: Space, texts: Mapping[UUID, IndexTexts], *, language: str) -> None:
    """Update the index of existing memories."""
    rows = ({"id": id_} | parts._asdict() for id_, parts in texts.items())
    values = {"space": space.pk, "configuration": lexemes.configuration(language)}
    _execute(_UPDATE, rows, values)


def _execute(statement: str, rows: Iterator[dict[str, Any]], values: Mapping[str, Any]) -> None:
    with connection.cursor() as cursor:
        while part := list(islice(rows, ROWS_AT_ONCE)):
            # str formats ids and times as PostgreSQL reads them.
            encoded = json.dumps(part, default=str, ensure_ascii=False)
            cursor.execute(statement, {**values, "rows": encoded})
