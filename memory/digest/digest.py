"""The digest of a week: what a space learned, changed, consolidated and forgot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Q, Window
from django.db.models.functions import RowNumber

from accounts.models import Space
from foundation.http.pagination import keyset
from foundation.readers import Reader
from memory.digest.lines import Line, lines_of
from memory.digest.sections import Section, events_of, proposals_of
from memory.digest.weeks import Week

Counts = Mapping[Section, int]
"""The number of lines of each section."""


@dataclass(frozen=True)
class Digest:
    """A week with the number of lines of each section, and lines, newest first in each section.
    `following` is the cursor of the next page if the lines are one section's."""

    week: Week
    counts: Counts
    lines: Sequence[Line]
    following: str | None = None

    def of(self, section: Section) -> list[Line]:
        """Return the lines of a section."""
        return [line for line in self.lines if line.section == section]


def digest_of(*, space: Space, reader: Reader, week: Week, limit: int) -> Digest:
    """Return the digest with the newest lines of each section, `limit` at the most."""
    place = Window(
        RowNumber(), partition_by=F("section"), order_by=[F("at").desc(), F("pk").desc()]
    )
    events = events_of(space, reader, week).annotate(place=place).filter(place__lte=limit)
    proposals = proposals_of(space, reader, week).order_by("-decided_at", "-pk")[:limit]
    lines = lines_of(space, list(events.order_by("-at", "-pk")), list(proposals))
    return Digest(week, counts_of(space, reader, week), lines)


def section_of(
    *, space: Space, reader: Reader, week: Week, section: Section, limit: int, cursor: str | None
) -> Digest:
    """Return the digest with a page of one section's lines. Raises InvalidArguments for a cursor
    that is not of this list."""
    if section == Section.CONSOLIDATED:
        rows = proposals_of(space, reader, week)
        proposals, following = keyset("-decided_at", nulls=False).page(
            rows, limit=limit, cursor=cursor
        )
        lines = lines_of(space, [], proposals)
    else:
        found = events_of(space, reader, week).filter(Q(section=section.value))
        events, following = keyset("-at").page(found, limit=limit, cursor=cursor)
        lines = lines_of(space, events, [])
    return Digest(week, counts_of(space, reader, week), lines, following)


def counts_of(space: Space, reader: Reader, week: Week) -> Counts:
    """Return the number of lines of each section."""
    columns = ("section",)  # an annotation, which mypy does not know
    events = events_of(space, reader, week).order_by().values_list(*columns)
    counts: dict[str, int] = dict(events.annotate(Count("pk")))
    counts[Section.CONSOLIDATED.value] = proposals_of(space, reader, week).count()
    return {section: counts.get(section.value, 0) for section in Section}
