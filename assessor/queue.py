"""Telling workers of exchanges that are due for assessment."""

from uuid import UUID

from assessor.models import Assessment
from memory import queue

TASK = "assessor.tasks.assess"


def enqueue(space_id: int, assessment_id: UUID) -> None:
    """Put the assessment on the queue."""
    queue.enqueue(TASK, space_id, assessment_id)


def enqueue_on_commit(assessment: Assessment) -> None:
    """Put the assessment on the queue after the commit."""
    queue.enqueue_on_commit(TASK, assessment.space_id, assessment.pk)
