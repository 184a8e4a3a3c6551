"""The end of an exchange that could not be judged, and who is told of it."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from assessor.models import Assessment, State
from memory.models import WebhookEvent
from memory.services.webhooks import emit


@transaction.atomic
def park_hopeless(*, now: datetime) -> None:
    """Ends those whose workers died again and again: each may be what they died of."""
    error = "Each worker that judged this ended before it was done."
    rows = list(Assessment.objects.hopeless(now).select_for_update(skip_locked=True))
    hopeless = [row.pk for row in rows]
    Assessment.objects.filter(Q(pk__in=hopeless) | Q(part_of__in=hopeless)).update(
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
