"""The assessor's sections of a space's export file."""

from django.db.models import F

from assessor.models import Assessment, State
from memory.transfer.sections import Row, Section


def _nobody_is_at_it(row: Row) -> None:
    """Requeue a running assessment: no worker here has claimed it."""
    if row["state"] == State.RUNNING:
        row["state"] = State.QUEUED


SECTIONS = (
    Section(
        "assessment",
        Assessment,
        # The first row of a span comes before its parts.
        (F("part_of_id").asc(nulls_first=True), "created_at", "id"),
        left_out=frozenset({"leased_until", "lease"}),
        names={
            "memory_id": "memory",
            "part_of_id": "assessment",
            "source_conversation": "conversation",
        },
        arrives=_nobody_is_at_it,
    ),
)
