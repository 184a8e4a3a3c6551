"""Assesses several exchanges of a conversation in one call where the model lags behind.

The exchange that a worker claims takes those that wait with it, as a span that ends now. While a
model assesses one, the others of its conversation wait.
"""

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import F

from assessor.assessing import SURELY_NOT
from assessor.language_model.facts import asked_before
from assessor.language_model.prompts import FACTS
from assessor.local import worth_of
from assessor.models import Assessment, AssessmentQuerySet, State
from assessor.outbox.masking import forget_secrets
from assessor.outbox.queue import TASK
from assessor.saving.exchanges import earlier_texts, exchange_of
from foundation.database.locks import lock_changes
from foundation.queue import enqueue
from memory.policy import AssessmentPolicy

MOST = 4
"""Exchanges in one call: of more, a small model overlooks facts."""
LONGEST = 1_000
"""Characters of their messages."""
_ALIKE = (
    "space_id", "source_conversation", "source_role", "user_id", "said_by", "agent_id",
    "session_id", "metadata", "context", "rubric", "provider",
)  # fmt: skip


@transaction.atomic
def has_to_wait(assessment: Assessment, policy: AssessmentPolicy, now: datetime) -> bool:
    """Take the exchanges that wait into the span of the claimed one. Return True if instead the
    model is assessing another one of the conversation: then this one waits again.
    """
    if assessment.span_ends_at or not _may_be_joined(assessment, policy):
        return False
    # Without this lock, two exchanges claimed at once would wait for each other.
    lock_changes(assessment.space_id)
    mine, alike = Assessment.objects.leased_by(assessment), _alike(assessment)
    if alike.filter(state=State.RUNNING, leased_until__gt=now).exists():
        mine.update(state=State.QUEUED, leased_until=None, attempts=F("attempts") - 1)
        return True
    waiting = alike.waiting(now).filter(span_ends_at=None).order_by("created_at", "pk")
    locked = waiting.select_for_update(no_key=True, skip_locked=True)[: 2 * MOST]
    if parts := list(_joining(assessment, list(locked))):
        rows = [part.pk for part in parts]
        alike.filter(pk__in=rows).update(state=State.RUNNING, part_of=assessment)
        mine.update(span_ends_at=now)
        assessment.span_ends_at = now
        forget_secrets(assessment)  # of the parts, too
    return False


def enqueue_next(assessment: Assessment, policy: AssessmentPolicy, now: datetime) -> None:
    """Enqueue the oldest exchange of the conversation that waited for this one."""
    if not _may_be_joined(assessment, policy):
        return
    waiting = _alike(assessment).waiting(now).order_by("created_at", "pk")
    if (first := waiting.values_list("pk", flat=True).first()) is not None:
        enqueue(TASK, assessment.space_id, first)


def _may_be_joined(assessment: Assessment, policy: AssessmentPolicy) -> bool:
    """Return whether a model lists the facts of the exchange, which a person said."""
    return (
        bool(assessment.source_conversation)
        and assessment.source_role == "user"
        and (assessment.provider or policy.provider) in {"auto", "llm"}
        and (assessment.rubric or policy.rubric) == FACTS
        and policy.facts == "separate"
        and not policy.review_below_confidence
    )


def _alike(assessment: Assessment) -> AssessmentQuerySet:
    """Return the other exchanges whose memories would have the same owner and origin."""
    same = {name: getattr(assessment, name) for name in _ALIKE}
    return Assessment.objects.filter(**same).exclude(pk=assessment.pk)


def _joining(assessment: Assessment, waiting: list[Assessment]) -> Iterator[Assessment]:
    """Yield the exchanges that the model understands beside the claimed one: said on the same day,
    and without a question before them.
    """
    if not _stands_alone(assessment):
        return
    length, room = len(assessment.user_message), MOST - 1
    for row in waiting:
        length += len(row.user_message)
        if not room or length > LONGEST:
            return
        if row.said_at.date() == assessment.said_at.date() and _stands_alone(row):
            room -= 1
            yield row


def _stands_alone(row: Assessment) -> bool:
    """Return whether the message may teach something, says it without what was said before, and
    was never answered badly.
    """
    if any(one["answer"] for one in row.failed_tries):
        return False
    earlier = earlier_texts(exchange_of(row), row.space, before=row.created_at)
    return not asked_before(row.user_message, earlier) and worth_of(row.user_message) >= SURELY_NOT
