"""Tries that came to nothing, the end of an exchange that could not be judged, and who is told."""

from datetime import datetime
from typing import TypedDict

from django.db import transaction
from django.db.models import Q

from assessor.errors import AssessmentError
from assessor.models import MAX_ATTEMPTS, Assessment, State
from assessor.storable import storable
from memory.models import WebhookEvent
from memory.models.policies import current_policy
from memory.text.secrets import mask_secrets
from memory.webhooks.services import emit


class Failed(TypedDict):
    """A try that came to nothing; `answer` is "" where there was none."""

    at: str
    error: str
    answer: str


MAX_ANSWER = 4000
"""Characters that are kept of an answer that could not be used."""


def failed_tries(assessment: Assessment, error: AssessmentError, now: datetime) -> list[Failed]:
    """The tries of a claimed exchange that came to nothing, with this one; the latest few."""
    said = storable(error.answer)
    if current_policy(assessment.space).document.assessment.mask_secrets:
        said = mask_secrets(said)
    failed = Failed(at=now.isoformat(), error=storable(str(error)), answer=said[:MAX_ANSWER])
    return [*assessment.failed_tries, failed][-MAX_ATTEMPTS:]


@transaction.atomic
def park_exhausted(*, now: datetime) -> None:
    """Ends those whose workers died again and again: each may be what they died of."""
    error = "Each worker that judged this ended before it was done."
    rows = list(Assessment.objects.exhausted(now).select_for_update(skip_locked=True))
    exhausted = [row.pk for row in rows]
    Assessment.objects.filter(Q(pk__in=exhausted) | Q(part_of__in=exhausted)).update(
        state=State.FAILED, leased_until=None, finished_at=now, error=error
    )
    for row in rows:
        tell_of_failure(assessment=row, error=error, now=now)


def tell_of_failure(*, assessment: Assessment, error: str, now: datetime) -> None:
    """Tells the space's webhooks, in the transaction that parks it. What was said stays here; the
    id leads to it."""
    emit(
        space_id=assessment.space_id,
        event=WebhookEvent.ASSESSMENT_FAILED,
        data={
            "assessment_id": str(assessment.pk),
            "error": error,
            "attempts": assessment.attempts,
            "created_at": assessment.created_at.isoformat(),
        },
        now=now,
    )
