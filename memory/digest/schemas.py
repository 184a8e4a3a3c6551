"""Schemas of the digest."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from ninja import Field, Schema

from foundation.http.pagination import CURSOR, NUMBERED_CURSOR
from foundation.http.requests import PLACE, ActorOut, Limit
from memory.digest.digest import Digest
from memory.digest.lines import Line
from memory.digest.sections import Section
from memory.digest.weeks import PATTERN

SectionName = Literal["learned", "changed", "consolidated", "forgotten"]
UndoName = Literal["move_to_bin", "restore_older", "revert", "restore", "restore_sources"]
SinceName = Literal["binned", "restored", "changed", "purged", "undone"]
WeekName = Annotated[
    str,
    Field(
        description="An ISO week. Default: the current week.",
        json_schema_extra={"pattern": PATTERN, "example": "2026-W47"},
    ),
]
LineId = Annotated[str, Field(description="The id of a line of the digest.", max_length=40)]
_Cursor = Annotated[
    str, Field(description=PLACE, json_schema_extra={"pattern": f"{CURSOR}|{NUMBERED_CURSOR}"})
]


class DigestIn(Schema):
    """The week. Without `section` the answer has the newest lines of each section; with it, a page
    of this section."""

    week: WeekName | None = None
    section: SectionName | None = None
    limit: Limit = 50
    cursor: _Cursor | None = None


class SectionCountsOut(Schema):
    """The number of lines of each section."""

    learned: int
    changed: int
    consolidated: int
    forgotten: int


class LineOut(Schema):
    """A line of the digest. `before` are the texts that `content` replaced; a purge erases texts.

    `undo` says what undoing the line would do. It is null if that is no longer possible, and then
    `since` says why. For a consolidation, `POST actions/{action_id}/undo` undoes the whole run.
    """

    id: str
    section: SectionName
    action: str
    at: datetime
    actor: ActorOut | None
    reason: str
    memory_id: UUID | None
    user_id: str | None
    content: str
    before: list[str]
    action_id: UUID | None
    undo: UndoName | None
    since: SinceName | None

    @staticmethod
    def resolve_actor(line: Line) -> dict[str, str] | None:
        """Return who caused the line's event; None for a line without an event."""
        event = line.event
        return {"type": event.actor_type, "name": event.actor_name} if event else None

    @staticmethod
    def resolve_reason(line: Line) -> str:
        """Return the reason of the line's event; "" without one."""
        return line.event.reason if line.event else ""


class DigestOut(Schema):
    """A week's digest. `next` is the cursor of the section's next page."""

    week: str
    begins_at: datetime
    ends_at: datetime
    counts: SectionCountsOut
    items: list[LineOut]
    next: str | None

    @staticmethod
    def of(digest: Digest) -> dict[str, object]:
        """Return the answer for a digest, its lines in the order of the sections."""
        lines: Sequence[Line] = [one for section in Section for one in digest.of(section)]
        return {
            "week": digest.week.name,
            "begins_at": digest.week.begins_at,
            "ends_at": digest.week.ends_at,
            "counts": {section.value: n for section, n in digest.counts.items()},
            "items": lines,
            "next": digest.following,
        }
