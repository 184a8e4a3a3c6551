"""Converts outbox rows to the exchange or span that is assessed.

Also builds the row that an unsaved assessment would have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, replace

from assessor.judging import Exchange, Judgement
from assessor.models import Assessment, State
from assessor.screening import judged_part
from memory.formulas.retention import ttl_seconds
from memory.policy import PolicyDocument


def exchange_of(assessment: Assessment) -> Exchange:
    """Return this row's exchange."""
    return Exchange(**{field.name: getattr(assessment, field.name) for field in fields(Exchange)})


def span_of(assessment: Assessment) -> list[Exchange]:
    """Return the exchanges of the span in order, without text that no person wrote.

    Each exchange is filtered alone: quoted words in one turn do not affect the next turn.
    """
    return [judged_part(exchange_of(row)) for row in rows_of(assessment)]


def rows_of(assessment: Assessment) -> list[Assessment]:
    """Return the rows of the exchange's span in the order they were said.

    The claimed row need not be the first: workers may claim a later one before it.
    """
    parts = Assessment.objects.filter(space_id=assessment.space_id, part_of=assessment.pk)
    return sorted([assessment, *parts], key=lambda row: (row.created_at, row.pk))


def joined(span: Sequence[Exchange]) -> Exchange:
    """Return the span as one exchange, ready to assess."""
    if len(span) == 1:
        return span[0]
    return replace(
        span[0],
        user_message=_in_a_row(one.user_message for one in span),
        assistant_response=_in_a_row(one.assistant_response for one in span),
    )


def _in_a_row(texts: Iterable[str]) -> str:
    """Join texts one per line, each with an end mark, so that a summary stays readable
    on one line.
    """
    said = [text.strip() for text in texts if text.strip()]
    return "\n".join(f"{text}." if text[-1].isalnum() else text for text in said)


def unsaved(exchange: Exchange, judgement: Judgement, policy: PolicyDocument) -> Assessment:
    """Return the assessment that would be stored for this result, without an id."""
    kept = judgement.importance >= policy.assessment.store_above
    return Assessment(
        id=None,
        state=State.DONE if kept else State.IGNORED,
        attempts=1,
        ttl_seconds=ttl_seconds(judgement.importance, policy.ttl.tiers),
        **asdict(exchange) | asdict(judgement),
    )
