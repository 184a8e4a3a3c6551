"""Groups exchanges of one topic into a span, which is assessed as a whole.

A conversation's open span ends when the topic changes, the span is full, or the conversation is
silent for a while (policy: trigger, idle_minutes; seed 001, Triggers).

Each exchange stays a row of its own, so none is lost. Only the first of a span is claimed, when the
span ends; the others are its parts and end with it.
"""

from datetime import datetime, timedelta

from django.db import transaction

from assessor.models import Assessment, State
from assessor.outbox.queue import assess_on_commit, requeue
from assessor.saving.exchanges import exchange_of, rows_of
from assessor.screening import assessed_part
from foundation.database.locks import lock_changes
from memory.drafts import MAX_CONTENT
from memory.embeddings import get_embedder
from memory.policy import AssessmentPolicy

SAME_TOPIC = 0.29
"""From this cosine similarity (MiniLM) on, an exchange shares the topic of the one before it.

Measured on joined conversations of LoCoMo: no method with a longer past, or with a look
ahead, found the borders better.
"""

LONGEST_SPAN = 20
"""Maximum number of exchanges in a span. Some conversations never leave their topic and would
otherwise never be assessed.
"""
LONGEST_TEXT = MAX_CONTENT
"""Maximum number of characters in a span, so that a model can read it at once. A single exchange
may be longer.
"""


def has_to_wait(assessment: Assessment, policy: AssessmentPolicy) -> bool:
    """Return whether a claimed exchange must first join a span."""
    by_topic = policy.trigger == "topic_change" and assessment.source_conversation
    return bool(by_topic) and assessment.span_ends_at is None


@transaction.atomic
def wait_for_span(*, assessment: Assessment, idle: timedelta, now: datetime) -> None:
    """Add a claimed exchange to its conversation's span, or end that span and begin the next."""
    # Without this lock, two concurrent exchanges of a conversation would begin a span each.
    lock_changes(assessment.space_id)
    mine = Assessment.objects.leased_by(assessment)
    if not mine.select_for_update().exists():  # edited or answered again since
        return
    ends_at = now + idle
    span = _open_span(assessment, now)
    if span is not None and _continues(span, assessment):
        requeue(mine, ends_at, part_of=span)
        _update(span, span_ends_at=ends_at, due_at=ends_at)
        return
    if span is not None:
        _update(span, span_ends_at=now, due_at=now, enqueued_at=now)
        assess_on_commit(span)
    requeue(mine, ends_at, span_ends_at=ends_at)


def _open_span(assessment: Assessment, now: datetime) -> Assessment | None:
    """Return the first exchange of the conversation's open span, locked, or None."""
    waiting = Assessment.objects.filter(
        space_id=assessment.space_id,
        source_conversation=assessment.source_conversation,
        user_id=assessment.user_id,
        said_by=assessment.said_by,
        state=State.QUEUED,
        span_ends_at__gt=now,
    )
    # Locked: otherwise a worker could claim the span and end this exchange without having read it.
    waiting = waiting.exclude(pk=assessment.pk).select_for_update(no_key=True)
    return waiting.order_by("-created_at").first()


def _continues(span: Assessment, assessment: Assessment) -> bool:
    """Return whether the exchange has the span's topic and the span has room for it."""
    rows = rows_of(span)
    characters = sum(
        len(row.user_message) + len(row.assistant_response) for row in [*rows, assessment]
    )
    if len(rows) >= LONGEST_SPAN or characters > LONGEST_TEXT:
        return False
    return _share_topic(rows[-1], assessment)


def _share_topic(before: Assessment, after: Assessment) -> bool:
    # Recalled memories are removed: a memory in both replies does not make one topic.
    spoken = [assessed_part(exchange_of(one)) for one in (before, after)]
    texts = [f"{one.user_message}\n{one.assistant_response}" for one in spoken]
    return similarity(*texts) >= SAME_TOPIC


def similarity(before: str, after: str) -> float:
    """Return the cosine similarity of two exchanges, each the user's message and the reply."""
    one, other = get_embedder("local", "all-MiniLM-L6-v2", 384).embed([before, after])
    return float(one @ other)


def _update(span: Assessment, **values: object) -> None:
    Assessment.objects.filter(space_id=span.space_id, pk=span.pk).update(**values)
