"""Hands an exchange over for its assessment: to this process, or to the workers' queue."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from assessor.models import Assessment, AssessmentQuerySet, State
from foundation.queue import enqueue

TASK = "assessor.tasks.assess"

_assessors: list[Callable[[Assessment], bool]] = []


def register(assess_at_once: Callable[[Assessment], bool]) -> None:
    """Offer each exchange to this function from now on. It returns False to leave the exchange to
    a worker."""
    _assessors[:] = [assess_at_once]


def assess_on_commit(assessment: Assessment) -> None:
    """Assess the exchange right after the commit, if the built-in assessor does; else enqueue it.

    Not in the transaction: that locks the memories of the reply, and would undo the reply with a
    failed assessment. If this process ends meanwhile, beat enqueues the row.
    """
    transaction.on_commit(partial(_hand_over, assessment), robust=True)


def _hand_over(assessment: Assessment) -> None:
    [assess_at_once] = _assessors
    if not assess_at_once(assessment):
        enqueue(TASK, assessment.space_id, assessment.pk)


def requeue(rows: AssessmentQuerySet, due_at: datetime, **values: Any) -> int:
    """Queue exchanges for assessment again and release their leases; return their number."""
    return rows.update(
        state=State.QUEUED, due_at=due_at, leased_until=None, attempts=0, finished_at=None,
        error="", error_code="", **values,
    )  # fmt: skip
