"""Between rows of the outbox and what is judged: an exchange by itself, or a span of them; and a
judgement that nobody keeps, as a row would show it."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, replace

from assessor.judging import Exchange, Judgement
from assessor.models import Assessment, State
from assessor.screening import judged_part
from memory.formulas.retention import ttl_seconds
from memory.policy import PolicyDocument


def exchange_of(assessment: Assessment) -> Exchange:
    """The exchange of this row."""
    return Exchange(**{field.name: getattr(assessment, field.name) for field in fields(Exchange)})


def span_of(assessment: Assessment) -> list[Exchange]:
    """The exchange and those that are judged with it, in order, without what no person said.

    Each by itself: what makes the words of one turn somebody else's says nothing of the next.
    """
    return [judged_part(exchange_of(row)) for row in rows_of(assessment)]


def rows_of(assessment: Assessment) -> list[Assessment]:
    """The exchange's row and those of its span, in the order in which they were said: workers may
    have taken a later one first."""
    parts = Assessment.objects.filter(space_id=assessment.space_id, part_of=assessment.pk)
    return sorted([assessment, *parts], key=lambda row: (row.created_at, row.pk))


def joined(span: Sequence[Exchange]) -> Exchange:
    """The span as one exchange, to be judged."""
    if len(span) == 1:
        return span[0]
    return replace(
        span[0],
        user_message=_in_a_row(one.user_message for one in span),
        assistant_response=_in_a_row(one.assistant_response for one in span),
    )


def _in_a_row(texts: Iterable[str]) -> str:
    """One a line, each with an end: a summary that takes out the line breaks stays readable."""
    said = [text.strip() for text in texts if text.strip()]
    return "\n".join(f"{text}." if text[-1].isalnum() else text for text in said)


def unsaved(exchange: Exchange, judgement: Judgement, policy: PolicyDocument) -> Assessment:
    """The assessment that would be stored of a judgement, without an id."""
    kept = judgement.importance >= policy.assessment.store_above
    return Assessment(
        id=None,
        state=State.DONE if kept else State.IGNORED,
        attempts=1,
        ttl_seconds=ttl_seconds(judgement.importance, policy.ttl.tiers),
        **asdict(exchange) | asdict(judgement),
    )
