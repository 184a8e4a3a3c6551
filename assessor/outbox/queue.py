"""Enqueues exchanges for assessment."""

from datetime import datetime
from typing import Any

from assessor.models import Assessment, AssessmentQuerySet, State
from foundation import queue

TASK = "assessor.tasks.assess"


def enqueue_on_commit(assessment: Assessment) -> None:
    """Put the assessment's task on the queue after the commit."""
    queue.enqueue_on_commit(TASK, assessment.space_id, assessment.pk)


def requeue(rows: AssessmentQuerySet, due_at: datetime, **values: Any) -> int:
    """Queue exchanges for assessment again and release their leases; return their number."""
    return rows.update(
        state=State.QUEUED, due_at=due_at, leased_until=None, attempts=0, finished_at=None,
        error="", error_code="", **values,
    )  # fmt: skip
