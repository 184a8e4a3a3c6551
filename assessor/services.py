"""The pipeline's writes: queue, claim, finish, put off, retry.

Work is claimed by a conditional update whose row count is checked. Each lease has an id of its own:
a worker that lost its lease to another cannot finish what the other now holds.
"""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.functions import RandomUUID
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from assessor.errors import AssessmentError
from assessor.exchanges import span_of
from assessor.failures import failed_tries, park_exhausted, tell_of_failure
from assessor.judging import Exchange, Judgement
from assessor.masking import forget_secrets
from assessor.models import MAX_ATTEMPTS, Assessment, AssessmentQuerySet, State
from assessor.queue import enqueue, enqueue_on_commit
from assessor.reconciling import Advisor
from assessor.remembering import go_by_new, write_intent
from assessor.screening import anything_said, mask_judgement
from assessor.storable import storable
from memory.errors import Conflict
from memory.formulas.retention import ttl_seconds
from memory.models import Memory, Reason, Space
from memory.models.policies import current_policy
from memory.policy import AssessmentPolicy

# Renewed while a model thinks: it says how soon the work of a dead worker is taken over.
LEASE = timedelta(seconds=30)
REQUEUE_AFTER = timedelta(seconds=20)
REQUEUE_LIMIT = 1000
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=15)
# At an endpoint's wish; some ask for a year, or for more than a date can hold.
LONGEST_WISH = timedelta(days=1)
_SHARED_BY_A_SPAN = (
    "importance", "memory_type", "ttl_seconds", "finished_at", "provider", "model", "rubric",
    "prompt_version",
)  # fmt: skip


def queue_assessment(
    *,
    space: Space,
    exchange: Exchange,
    now: datetime,
    due_at: datetime | None = None,
    idempotency_key: str | None = None,
) -> Assessment:
    """Writes the exchange into the outbox and, once that is committed, tells a worker.

    The same idempotency key again gives the first assessment. One that is due later is told later.
    """
    values: dict[str, Any] = asdict(exchange)
    if idempotency_key is None:
        assessment = Assessment.objects.create(
            space=space, created_at=now, enqueued_at=now, due_at=due_at or now, **values
        )
    else:
        assessment, _ = Assessment.objects.get_or_create(
            space=space,
            idempotency_key=idempotency_key,
            defaults={"created_at": now, "enqueued_at": now, "due_at": due_at or now, **values},
        )
    if due_at is None or due_at <= now:
        enqueue_on_commit(assessment)
    return assessment


def complete_exchange(
    *, space: Space, assessment_id: UUID, assistant_response: str, now: datetime
) -> None:
    """The reply is there: the exchange that waited for it may be judged now."""
    waiting = Assessment.objects.filter(space_id=space.pk, pk=assessment_id, state=State.QUEUED)
    if not waiting.update(assistant_response=assistant_response):
        return
    # One that is in a span already was answered anew, and is due when its span is.
    alone = waiting.filter(span_ends_at=None, part_of=None)
    if alone.update(due_at=now, enqueued_at=now):
        enqueue_on_commit(Assessment(pk=assessment_id, space=space))


def reopen_exchange(*, space: Space, assessment_id: UUID, due_at: datetime) -> None:
    """The exchange is answered anew: unless it has been judged, it waits for its reply again.

    A worker that is judging it loses its lease, and with it the right to finish.
    """
    unfinished = [State.QUEUED, State.RUNNING, State.RETRYING, State.FAILED]
    rows = Assessment.objects.filter(space_id=space.pk, pk=assessment_id, state__in=unfinished)
    # In a span it waits for the span's end.
    rows.filter(span_ends_at=None, part_of=None).update(
        state=State.QUEUED, due_at=due_at, leased_until=None, finished_at=None, error=""
    )


def requeue_due(*, now: datetime) -> int:
    """Enqueue what was never enqueued, has come due, or was left by a worker that died.

    A row is enqueued again only after REQUEUE_AFTER, or a slow model would fill the queue with
    repeats. One whose workers died MAX_ATTEMPTS times is parked: it may be what they died of.
    Returns how many were enqueued.
    """
    park_exhausted(now=now)
    due = (
        Assessment.objects.claimable(now)
        .filter(enqueued_at__lte=now - REQUEUE_AFTER)
        .order_by("due_at")
    )
    rows = list(due.values_list("space_id", "pk")[:REQUEUE_LIMIT])
    for space_id, assessment_id in rows:
        Assessment.objects.filter(space_id=space_id, pk=assessment_id).update(enqueued_at=now)
        enqueue(space_id, assessment_id)
    return len(rows)


def claim(*, space_id: int, assessment_id: UUID, now: datetime) -> Assessment | None:
    """Takes the assessment for the length of a lease, or None if it is not to be had."""
    mine = Assessment.objects.claimable(now).filter(space_id=space_id, pk=assessment_id)
    claimed = mine.update(
        state=State.RUNNING,
        leased_until=now + LEASE,
        lease=RandomUUID(),
        attempts=F("attempts") + 1,
        error="",
    )
    if not claimed:
        return None
    assessment = Assessment.objects.select_related("space__embedder").get(
        space_id=space_id, pk=assessment_id
    )
    forget_secrets(assessment)
    return assessment


def renew_lease(*, assessment: Assessment, now: datetime) -> None:
    """Holds the assessment for another lease, if it is still held: a model may think for long."""
    Assessment.objects.held_by(assessment).update(leased_until=now + LEASE)


def finish(
    *,
    assessment: Assessment,
    judgement: Judgement,
    now: datetime,
    advisor: Advisor | None = None,
) -> Memory | None:
    """Stores the judgement, and the memory if it is worth one, in one transaction.

    The advisor may decide what the memory is to those near it (assessor.reconciling).

    Returns the memory that now holds it, new, known before or held for review; None if it was not
    worth one or somebody else holds the lease by now.
    Raises AssessmentError if the memory cannot be embedded.
    """
    document = current_policy(assessment.space).document
    if document.assessment.mask_secrets:
        judgement = mask_judgement(judgement)
    span = span_of(assessment)
    ended: dict[str, Any] = {
        "ttl_seconds": ttl_seconds(judgement.importance, document.ttl.tiers),
        "finished_at": now,
    }
    bound = document.assessment.store_above
    worth = judgement.importance >= bound and any(map(anything_said, span))
    if assessment.memory is not None:  # it was judged before
        with transaction.atomic():
            if _end(assessment, State.DONE if worth else State.IGNORED, judgement, **ended):
                go_by_new(assessment, judgement, worth=worth, now=now)
        return assessment.memory
    if not worth:
        _end(assessment, State.IGNORED, judgement, **ended)
        return None
    intent = write_intent(assessment, span, judgement, now, advisor)
    with transaction.atomic():
        state = State.IGNORED if intent.is_known() else State.DONE
        if not _end(assessment, state, intent.judgement, **ended) or state == State.IGNORED:
            return None
        memory = intent.keep(now)
        _with_parts(assessment).update(memory=memory)
    return memory


@transaction.atomic
def _end(assessment: Assessment, state: State, judgement: Judgement, **ended: Any) -> bool:
    """Ends the assessment, and its span with it; False if the lease no longer holds."""
    values = asdict(judgement) | ended
    if not Assessment.objects.held_by(assessment).update(state=state, leased_until=None, **values):
        return False
    # The words of the judgement stand once, in the row that stands for the span.
    shared = {name: values[name] for name in _SHARED_BY_A_SPAN}
    _with_parts(assessment).exclude(pk=assessment.pk).update(state=state, **shared)
    return True


def _with_parts(assessment: Assessment) -> AssessmentQuerySet:
    """The assessment's row, and those of the exchanges that were judged with it."""
    span = Q(pk=assessment.pk) | Q(part_of=assessment.pk)
    return Assessment.objects.filter(span, space_id=assessment.space_id)


def is_unwanted(assessment: Assessment, policy: AssessmentPolicy) -> bool:
    """Whether it was said in a conversation from which nothing new is to be learned any more."""
    of_conversation = assessment.source_conversation and assessment.importance is None
    return bool(of_conversation) and not policy.enabled


def pass_over(*, assessment: Assessment, now: datetime) -> None:
    """Ends a claimed exchange, and its span, without a judgement."""
    values = {"state": State.IGNORED, "finished_at": now, "reasoning": Reason("learning_off")}
    with transaction.atomic():
        if Assessment.objects.held_by(assessment).update(leased_until=None, **values):
            _with_parts(assessment).update(**values)


def reschedule(
    *, assessment: Assessment, error: AssessmentError, now: datetime, jitter: float
) -> None:
    """Tries again later, or parks the exchange when later will not help.

    The pause doubles with each attempt; `jitter` in [0, 1] shortens it by up to half, so that
    what failed together does not come back together.
    """
    last = error.permanent or assessment.attempts >= MAX_ATTEMPTS
    pause = min(FIRST_PAUSE * 2 ** (assessment.attempts - 1), LONGEST_PAUSE) * (1 - jitter / 2)
    asked = min(error.retry_after or 0.0, LONGEST_WISH.total_seconds())
    due_at = now + max(pause, timedelta(seconds=asked))
    values = {"finished_at": now if last else None, "error": storable(str(error))}
    with transaction.atomic():
        held = Assessment.objects.held_by(assessment).update(
            state=State.FAILED if last else State.RETRYING,
            due_at=due_at,
            enqueued_at=due_at - REQUEUE_AFTER,  # so that beat tells of it the moment it is due
            leased_until=None,
            failed_tries=failed_tries(assessment, error, now),
            **values,
        )
        if held and last:
            _with_parts(assessment).update(state=State.FAILED, **values)
            tell_of_failure(assessment=assessment, error=storable(str(error)), now=now)


def retry(*, space: Space, assessment_id: UUID, now: datetime) -> None:
    """Queues a parked exchange again, with its span; raises Conflict unless it has failed."""
    parked = Assessment.objects.filter(space_id=space.pk, pk=assessment_id, state=State.FAILED)
    span_ids = parked.values_list(Coalesce("part_of", "pk"), flat=True)
    if (span_id := span_ids.first()) is None:
        raise Conflict("Only a failed assessment can be tried again.")
    span = Assessment(pk=span_id, space=space)
    _with_parts(span).filter(state=State.FAILED).update(
        state=State.QUEUED, due_at=now, attempts=0, finished_at=None, error=""
    )
    enqueue_on_commit(span)


def store_judged(
    *, space: Space, exchange: Exchange, judgement: Judgement, now: datetime
) -> Assessment:
    """Keeps an exchange that was judged while its caller waited, with its memory."""
    with transaction.atomic():
        assessment = Assessment.objects.create(
            space=space,
            created_at=now,
            due_at=now,
            state=State.RUNNING,
            attempts=1,
            **asdict(exchange),
        )
        finish(assessment=assessment, judgement=judgement, now=now)
    return Assessment.objects.select_related("memory").get(space_id=space.pk, pk=assessment.pk)
