"""Ends a claimed exchange and its span: assessed, skipped or failed.

Failed attempts are kept, and the space's webhooks report the last one.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from django.db import transaction

from accounts.models import WebhookEvent
from assessor.errors import AssessmentError
from assessor.models import MAX_ATTEMPTS, Assessment, State
from assessor.outbox.fault_labels import SENTENCES, WORKERS_STOPPED
from foundation.metrics import assessments_finished
from foundation.texts.storable import storable
from memory.models.policies import current_policy
from memory.text.secrets import mask_secrets
from memory.webhooks.services import emit


class Failed(TypedDict):
    """A failed attempt; `answer` is "" if the model gave none, `code` if the error has none.
    `tokens` and `cost_usd` are null if they are unknown."""

    at: str
    error: str
    code: str
    answer: str
    tokens: int | None
    cost_usd: float | None


MAX_ANSWER = 4000
"""Maximum number of characters stored of an unusable answer."""


@transaction.atomic
def end(assessment: Assessment, state: State, shared: Mapping[str, Any], **own: Any) -> bool:
    """End the exchange and its span; return False and write nothing if the lease was lost.

    All rows of the span get the state and the `shared` values. Only the first row gets the `own`
    values.
    """
    leased = Assessment.objects.leased_by(assessment)
    if not leased.update(state=state, leased_until=None, **shared, **own):
        return False
    parts = Assessment.objects.in_span(assessment).exclude(pk=assessment.pk)
    parts.update(state=state, **shared)
    transaction.on_commit(assessments_finished.labels(state).inc)
    return True


@transaction.atomic
def fail(assessment: Assessment, error: str, code: str, now: datetime, **own: Any) -> None:
    """End the exchange as failed and notify the webhooks, unless the lease was lost."""
    shared = {"finished_at": now, "error": error, "error_code": code}
    if not end(assessment, State.FAILED, shared, **own):
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
        user_id=assessment.user_id,
    )


def fail_exhausted(*, now: datetime) -> None:
    """End exchanges as failed if their workers died repeatedly, because the exchange may be the
    cause.
    """
    exhausted = Assessment.objects.exhausted(now)
    for space_id, row_id in list(exhausted.values_list("space_id", "pk")):
        # Locked one by one, because a lock cannot span the shards of several spaces.
        with transaction.atomic():
            row = exhausted.filter(space_id=space_id, pk=row_id)
            for locked in row.select_for_update(skip_locked=True):
                fail(locked, SENTENCES[WORKERS_STOPPED], WORKERS_STOPPED, now)


def failed_tries(assessment: Assessment, error: AssessmentError, now: datetime) -> list[Failed]:
    """Return the latest failed attempts of a claimed exchange, including this one."""
    said = storable(error.answer)
    if current_policy(assessment.space).document.assessment.mask_secrets:
        said = mask_secrets(said)
    usage = error.usage
    failed = Failed(
        at=now.isoformat(),
        error=storable(str(error)),
        code=error.code,
        answer=said[:MAX_ANSWER],
        tokens=usage.prompt_tokens + usage.completion_tokens if usage else None,
        cost_usd=error.cost_usd,
    )
    return [*assessment.failed_tries, failed][-MAX_ATTEMPTS:]


def spent_on(tries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the tokens and the cost of failed attempts, as columns of a failed assessment; null if
    none is known. Attempts recorded by earlier versions of Ebb have neither.
    """
    tokens = [one["tokens"] for one in tries if one.get("tokens") is not None]
    costs = [one["cost_usd"] for one in tries if one.get("cost_usd") is not None]
    return {"tokens": sum(tokens) if tokens else None, "cost_usd": sum(costs) if costs else None}
