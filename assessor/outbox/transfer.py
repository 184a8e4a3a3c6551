"""The assessor's sections of a space's export file."""

from django.db.models import F

from assessor.lessons import Lesson
from assessor.models import Assessment, State
from assessor.screening import gate_reason
from memory.drafts import MAX_CONTENT
from memory.models import Reason
from memory.transfer.sections import Row, Section


def _check(row: Row) -> None:
    """Raise ValueError if an exchange is larger than those that Ebb accepts."""
    if len(row["user_message"]) > MAX_CONTENT and row["state"] in {State.QUEUED, State.RUNNING}:
        raise ValueError(f"user_message: longer than {MAX_CONTENT} characters")


def _requeue(row: Row) -> None:
    """Requeue a running assessment: no worker here has claimed it. Ignore a queued exchange without
    a person's own words, as in a conversation of another assistant."""
    if row["state"] == State.RUNNING:
        row["state"] = State.QUEUED
    if row["state"] != State.QUEUED or row["source_role"] != "user":
        return
    if gated := gate_reason(row["user_message"]):
        row |= {
            "state": State.IGNORED,
            "reasoning": Reason(f"gate_{gated}"),
            "finished_at": row["due_at"],
        }


SECTIONS = (
    Section(
        "assessment",
        Assessment,
        # The first row of a span comes before its parts.
        (F("part_of_id").asc(nulls_first=True), "created_at", "id"),
        left_out=frozenset({"leased_until", "lease", "connection_id", "request_id", "said_by"}),
        former=frozenset({"memory_id"}),
        names={
            "part_of_id": "assessment",
            "source_conversation": "conversation",
        },
        owner="user_id",
        check=_check,
        arrives=_requeue,
    ),
    Section(
        "lesson",
        Lesson,
        ("assessment_id", "position"),
        names={"assessment_id": "assessment", "memory_id": "memory"},
        owner="assessment__user_id",
    ),
)
