"""Ends a claimed exchange and its span: assessed, skipped or failed.

Failed attempts are kept, and the space's webhooks report the last one.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict

from django.db import transaction

from assessor.errors import AssessmentError
from assessor.models import MAX_ATTEMPTS, Assessment, State
from assessor.storable import storable
from memory.models import WebhookEvent
from memory.models.policies import current_policy
from memory.text.secrets import mask_secrets
from memory.webhooks.services import emit


class Failed(TypedDict):
    """A failed attempt; `answer` is "" if the model gave none."""

    at: str
    error: str
    answer: str


MAX_ANSWER = 4000
"""Characters that are kept of an answer that could not be used."""


@transaction.atomic
def end(assessment: Assessment, state: State, shared: Mapping[str, Any], **own: Any) -> bool:
    """End the exchange and its span; return False and write nothing if the lease was lost.

    All rows of the span get the state and the `shared` values, the first one also the `own` values.
    """
    leased = Assessment.objects.leased_by(assessment)
    if not leased.update(state=state, leased_until=None, **shared, **own):
        return False
    parts = Assessment.objects.in_span(assessment).exclude(pk=assessment.pk)
    parts.update(state=state, **shared)
    return True


@transaction.atomic
def fail(assessment: Assessment, error: str, now: datetime, **own: Any) -> None:
    """End the exchange as failed and notify the webhooks, unless the lease was lost."""
    if not end(assessment, State.FAILED, {"finished_at": now, "error": error}, **own):
        return
    emit(
        space_id=assessment.space_id,
        event=WebhookEvent.ASSESSMENT_FAILED,
        data={  # the text is not sent; the id leads to it
            "assessment_id": str(assessment.pk),
            "error": error,
            "attempts": assessment.attempts,
            "created_at": assessment.created_at.isoformat(),
        },
        now=now,
    )


@transaction.atomic
def fail_exhausted(*, now: datetime) -> None:
    """End exchanges as failed whose workers died repeatedly: each exchange may be the cause."""
    for row in Assessment.objects.exhausted(now).select_for_update(skip_locked=True):
        fail(row, "Every worker that assessed this stopped before it finished.", now)


def failed_tries(assessment: Assessment, error: AssessmentError, now: datetime) -> list[Failed]:
    """Return the latest failed attempts of a claimed exchange, including this one."""
    said = storable(error.answer)
    if current_policy(assessment.space).document.assessment.mask_secrets:
        said = mask_secrets(said)
    failed = Failed(at=now.isoformat(), error=storable(str(error)), answer=said[:MAX_ANSWER])
    return [*assessment.failed_tries, failed][-MAX_ATTEMPTS:]
