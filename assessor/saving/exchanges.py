"""Converts outbox rows to the exchange or span that is assessed.

Also builds the row that an unsaved assessment would have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime, timedelta

from accounts.models import Space
from assessor.assessing import AssessmentResult, Exchange
from assessor.models import Assessment, State
from assessor.screening import GateReason, assessed_part
from memory.formulas.retention import ttl_seconds
from memory.models import Reason
from memory.policy import PolicyDocument

# How much of the earlier conversation is read to decide whether a message says something new.
EARLIER_EXCHANGES = 10
EARLIER_PERIOD = timedelta(days=1)
SAME_MOMENT = timedelta(microseconds=1)  # the exchange itself is not earlier


def exchange_of(assessment: Assessment) -> Exchange:
    """Return this row's exchange."""
    return Exchange(**{field.name: getattr(assessment, field.name) for field in fields(Exchange)})


def span_of(assessment: Assessment) -> list[Exchange]:
    """Return the exchanges of the span in order, without text that a program wrote.

    Each exchange is filtered on its own: quoted words in one turn do not affect the next turn.
    """
    return [assessed_part(exchange_of(row)) for row in rows_of(assessment)]


def rows_of(assessment: Assessment) -> list[Assessment]:
    """Return the rows of the exchange's span in the order they were said.

    The claimed row need not be the first: workers may claim a later one before it.
    """
    parts = Assessment.objects.filter(space_id=assessment.space_id, part_of=assessment.pk)
    return sorted([assessment, *parts], key=lambda row: (row.created_at, row.pk))


def earlier_texts(exchange: Exchange, space: Space, *, before: datetime) -> list[str]:
    """Return the last messages of the exchange's conversation, from both sides, in order. Messages
    of other users are left out.
    """
    if not exchange.source_conversation:
        return []
    rows = Assessment.objects.in_space(space).filter(
        source_conversation=exchange.source_conversation,
        user_id=exchange.user_id,
        # Without a lower limit, the rows of the whole space are read for a new conversation.
        created_at__range=(before - EARLIER_PERIOD, before - SAME_MOMENT),
    )
    latest = rows.order_by("-created_at").values_list("assistant_response", "user_message")
    return [text for row in latest[:EARLIER_EXCHANGES] for text in row if text][::-1]


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


def ignored(exchange: Exchange, gated: GateReason) -> Assessment:
    """Return the row of an exchange that the gate ignores, without an id."""
    # Without a row, the database cannot fill in its defaults.
    empty = {"omitted": {}, "fallback_of": "", "fallback_reason": "", "error_code": ""}
    reasoning = Reason(f"gate_{gated}")
    values = asdict(exchange) | empty
    return Assessment(id=None, state=State.IGNORED, reasoning=reasoning, **values)


def unsaved(exchange: Exchange, result: AssessmentResult, policy: PolicyDocument) -> Assessment:
    """Return the assessment that would be stored for this result, without an id."""
    kept = result.importance >= policy.assessment.store_above
    return Assessment(
        id=None,
        state=State.DONE if kept else State.IGNORED,
        attempts=1,
        ttl_seconds=ttl_seconds(result.importance, policy.ttl.tiers, result.persistence),
        **asdict(exchange) | result.columns(),
    )
