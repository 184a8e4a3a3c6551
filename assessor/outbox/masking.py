"""Masks secrets in the outbox rows themselves, before the assessment."""

from assessor.models import Assessment
from assessor.saving.exchanges import exchange_of, rows_of
from assessor.screening import mask_exchange
from memory.models.policies import current_policy


def forget_secrets(assessment: Assessment) -> None:
    """Mask the secrets of the exchange and its span, in objects and rows, if the policy says so."""
    if not current_policy(assessment.space).document.assessment.mask_secrets:
        return
    # Each row of a span was masked when it was claimed, but may have a new reply since.
    for row in rows_of(assessment) if assessment.span_ends_at else [assessment]:
        _mask(row)


def _mask(row: Assessment) -> None:
    said = exchange_of(row)
    masked = mask_exchange(said)
    if masked == said:
        return
    values = {
        "user_message": masked.user_message,
        "assistant_response": masked.assistant_response,
        "context": masked.context,
    }
    for name, value in values.items():
        setattr(row, name, value)
    # Rows with a newer reply are skipped: they are masked when they are claimed again.
    rows = Assessment.objects.filter(space_id=row.space_id, pk=row.pk)
    rows.filter(assistant_response=said.assistant_response).update(**values)
