"""Secrets in the outbox: masked in the rows themselves, before anybody judges them."""

from assessor.exchanges import exchange_of, rows_of
from assessor.models import Assessment
from assessor.screening import mask_exchange
from memory.models.policies import current_policy


def forget_secrets(assessment: Assessment) -> None:
    """Masks the exchange and those of its span, if the policy says so; its object with its row."""
    if not current_policy(assessment.space).document.assessment.mask_secrets:
        return
    # Each of a span was masked when it was taken, but may have been answered anew since.
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
    # Not what has been answered anew this moment: that is masked when it is taken again.
    rows = Assessment.objects.filter(space_id=row.space_id, pk=row.pk)
    rows.filter(assistant_response=said.assistant_response).update(**values)
