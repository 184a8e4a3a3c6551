"""The usual time of each model connection, and the share of its assessments that were replaced."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.models import Space
from assessor.models import FallbackReason, State
from assessor.statistics.inspection import PERIOD
from memory.models import ModelConnection

LATEST = 500
"""The number of assessments per connection that count."""
ENOUGH = 5
"""The number of checked summaries from which their share is meaningful."""
MOSTLY = 0.5


@dataclass(frozen=True)
class ConnectionFigures:
    """The latest assessments by one connection: their number, and their time in milliseconds.

    Only summaries of memories to save are checked (assessor.language_model.grounding). Of the
    `checked` summaries, `replaced` said more than the person did.
    """

    assessed: int = 0
    median_ms: float | None = None
    p95_ms: float | None = None
    checked: int = 0
    replaced: int = 0

    @property
    def replaced_share(self) -> float | None:
        """The share of checked summaries that were replaced; None before the first."""
        return self.replaced / self.checked if self.checked else None

    @property
    def is_too_small(self) -> bool:
        """True if the model cannot assess: most of its summaries were replaced."""
        return self.checked >= ENOUGH and self.replaced > MOSTLY * self.checked


# The latest assessments that the model of one connection answered, read from an index.
_LATEST = """
    (SELECT connection_id, latency_ms, fallback_reason, state FROM assessor_assessment
    WHERE connection_id = %({id_})s AND part_of_id IS NULL
        AND created_at > %(since)s AND latency_ms IS NOT NULL
        AND (provider = 'llm' OR fallback_reason = %(ungrounded)s)
        {own}
    ORDER BY created_at DESC LIMIT %(latest)s)
"""
# Not LATERAL: Citus cannot join the connections, which have no space, with the rows of all spaces.
_FIGURES = """
    SELECT connection_id, count(*),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_ms),
        percentile_cont(0.95) WITHIN GROUP (ORDER BY latency_ms),
        count(*) FILTER (WHERE fallback_reason = %(ungrounded)s OR state = %(done)s),
        count(*) FILTER (WHERE fallback_reason = %(ungrounded)s)
    FROM ({latest}) AS recent
    GROUP BY connection_id
"""


def connection_figures(*, space: Space | None, now: datetime) -> dict[UUID, ConnectionFigures]:
    """Return the figures of each connection that has assessed something lately in this space.
    Without a space, return those of all spaces, which only operators may see.
    """
    connections = ModelConnection.objects.values_list("pk", flat=True)
    ids = {f"connection_{number}": pk for number, pk in enumerate(connections)}
    if not ids:
        return {}
    values: dict[str, Any] = {
        **ids,
        "since": now - PERIOD,
        "latest": LATEST,
        "ungrounded": FallbackReason.UNGROUNDED,
        "done": State.DONE,
    }
    own = ""
    if space is not None:
        own, values["space"] = "AND space_id = %(space)s", space.pk
    latest = " UNION ALL ".join(_LATEST.format(id_=id_, own=own) for id_ in ids)
    with connection.cursor() as cursor:
        cursor.execute(_FIGURES.format(latest=latest), values)
        return {id_: ConnectionFigures(*figures) for id_, *figures in cursor.fetchall()}
