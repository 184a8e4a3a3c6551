"""Memories of the systems before Ebb, one JSON object each, converted to lines of an export.

Seed 000 writes `memories.jsonl`: id, content, role, timestamp, tags, an embedding, and in older
files an importance. Seed 002's records have a memory_type and an importance, or neither. Their
embeddings are ignored, because the space's own model computes new ones. Unknown fields are ignored.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from accounts.models import Space
from foundation.errors import plainly
from foundation.moments import plausible, read_moment, spoken, zone_name, zone_of
from memory.drafts import MemoryDraft, Source
from memory.formulas.retention import after_event, expires_at
from memory.models.memories import LEGACY_ID, SHORT_ID
from memory.models.policies import current_policy
from memory.store.times import times_in
from memory.transfer.identity import made_id

_EXACT = re.compile(r"[0-9a-fA-F-]{32,36}")


def memory_line(record: Mapping[str, Any], space: Space, now: datetime) -> dict[str, Any]:
    """Return the line of this record; raises ValueError, which names the field.

    An importance in a record of seed 000 is ignored, whatever it is (seed 000, "Migration
    Strategy"); those of seeds 002 and 004 become the memory's base importance. A record without a
    type becomes an observation (seed 002, AC-5). The lifetime starts now. An id of six digits stays
    usable as `legacy_id`.
    """
    draft = _draft(record, now)
    importance, said_at = draft.base_importance, draft.starts_at(now)
    tiers, times = current_policy(space).document.ttl.tiers, times_in(draft.content, said_at)
    ends_at = expires_at(now, importance, tiers)
    return {
        "id": str(_id(record, draft, space)),
        "legacy_id": _legacy_id(record),
        "content": draft.content,
        "memory_type": draft.type_name,
        "importance": importance,
        "tags": draft.tags,
        "created_at": said_at.isoformat(),
        "time_zone": zone_name(said_at),
        "event_at": _moment(times["event_at"]),
        "event_precision": times["event_precision"],
        "valid_from": _moment(times["valid_from"]),
        "clock_started_at": now.isoformat(),
        "expires_at": _moment(
            after_event(ends_at, now, times["event_at"], times["event_precision"])
        ),
        "source_role": draft.source.role,
    }


def _draft(record: Mapping[str, Any], now: datetime) -> MemoryDraft:
    names = ["content", "memory_type", "tags"]
    if _is_weighed(record):
        names.append("importance")
    values = {name: record[name] for name in names if name in record}
    try:
        return MemoryDraft(
            **{name: value for name, value in values.items() if value is not None},
            created_at=_said_at(record.get("timestamp"), now),
            source=Source(role=record.get("role") or "user"),
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "record"
        raise ValueError(f"{where}: {plainly(first)}") from None


def _is_weighed(record: Mapping[str, Any]) -> bool:
    """Return true if the record's system has an importance: seed 002's records have a type, those
    of seed 004 a `uuid`. Seed 000 removed it: "Load and ignore the `importance` field"."""
    return "memory_type" in record or "uuid" in record


def _legacy_id(record: Mapping[str, Any]) -> str:
    given = record.get("id")
    return given if isinstance(given, str) and LEGACY_ID.fullmatch(given) else ""


def _said_at(timestamp: object, now: datetime) -> datetime | None:
    """Return the time of a record. Those systems wrote local time without a zone, which is read in
    the zone of the importing person."""
    if timestamp is None:
        return None
    try:
        return plausible(spoken(read_moment(timestamp), zone_of(now)), now)
    except ValueError as error:
        raise ValueError(f"timestamp: {error}") from None


def _id(record: Mapping[str, Any], draft: MemoryDraft, space: Space) -> UUID:
    """Return the record's id: a full id unchanged, a short id as the start of the new one.
    Otherwise an id is derived from the record, always the same for the same record."""
    given = record.get("id", record.get("uuid"))
    if isinstance(given, UUID):
        return given
    name = str(given) if given is not None else f"{record.get('timestamp')}/{draft.content}"
    if _EXACT.fullmatch(name):
        try:
            return UUID(name)
        except ValueError:
            pass
    made = made_id(space, f"legacy/{name}")
    return UUID(name + made.hex[8:]) if SHORT_ID.fullmatch(name) else made


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
