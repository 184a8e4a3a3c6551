"""Moves an exchange through the outbox: queued, claimed, then finished, skipped, rescheduled or
failed.

A failed exchange may be retried. A worker leases an exchange (memory.leases); after losing the
lease, it writes nothing.
"""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.functions import RandomUUID
from django.db import transaction
from django.db.models.functions import Coalesce

from assessor.endings import end, fail, fail_exhausted, failed_tries
from assessor.errors import AssessmentError
from assessor.exchanges import span_of
from assessor.judging import Exchange, Judgement
from assessor.masking import forget_secrets
from assessor.models import MAX_ATTEMPTS, Assessment, State
from assessor.queue import TASK, enqueue_on_commit, requeue
from assessor.reconciling import Advisor
from assessor.remembering import MemoryWriteIntent, go_by_new, write_intent
from assessor.screening import anything_said, mask_judgement
from assessor.storable import storable
from memory import leases
from memory.errors import Conflict
from memory.formulas.retention import ttl_seconds
from memory.models import Memory, Reason, Space
from memory.models.policies import current_policy
from memory.policy import AssessmentPolicy, PolicyDocument

# Renewed while a model works. The length decides how soon a dead worker's exchange is claimed
# again.
LEASE = timedelta(seconds=30)
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=15)
# Limit for the endpoint's requested pause: some ask for a year or more.
LONGEST_WISH = timedelta(days=1)
_SHARED_BY_A_SPAN = (
    "importance", "memory_type", "provider", "model", "rubric", "prompt_version",
)  # fmt: skip


def queue_assessment(
    *,
    space: Space,
    exchange: Exchange,
    now: datetime,
    due_at: datetime | None = None,
    idempotency_key: str | None = None,
) -> Assessment:
    """Write the exchange into the outbox; enqueue it on commit, unless it is due later.

    A repeated idempotency key returns the first assessment.
    """
    values: dict[str, Any] = asdict(exchange)
    values |= {"created_at": now, "enqueued_at": now, "due_at": due_at or now}
    if idempotency_key is None:
        assessment = Assessment.objects.create(space=space, **values)
    else:
        assessment, _ = Assessment.objects.get_or_create(
            space=space, idempotency_key=idempotency_key, defaults=values
        )
    if due_at is None or due_at <= now:
        enqueue_on_commit(assessment)
    return assessment


def complete_exchange(
    *, space: Space, assessment_id: UUID, assistant_response: str, now: datetime
) -> None:
    """Add the reply to an exchange that waited for it, and enqueue the exchange."""
    waiting = Assessment.objects.filter(space_id=space.pk, pk=assessment_id, state=State.QUEUED)
    if not waiting.update(assistant_response=assistant_response):
        return
    # An exchange in a span has a new reply, and is due when its span is.
    alone = waiting.filter(span_ends_at=None, part_of=None)
    if alone.update(due_at=now, enqueued_at=now):
        enqueue_on_commit(Assessment(pk=assessment_id, space=space))


def reopen_exchange(*, space: Space, assessment_id: UUID, due_at: datetime) -> None:
    """Make an unassessed exchange wait for its new reply.

    A worker that is assessing it loses its lease.
    """
    unfinished = [State.QUEUED, State.RUNNING, State.RETRYING, State.FAILED]
    rows = Assessment.objects.filter(space_id=space.pk, pk=assessment_id, state__in=unfinished)
    # An exchange in a span waits for the span's end.
    requeue(rows.filter(span_ends_at=None, part_of=None), due_at)


def requeue_due(*, now: datetime) -> int:
    """Enqueue exchanges that are due, abandoned or whose task was lost; return their number."""
    fail_exhausted(now=now)
    return leases.requeue_due(Assessment.objects.all(), TASK, now=now)


def claim(*, space_id: int, assessment_id: UUID, now: datetime) -> Assessment | None:
    """Lease an exchange and return it with its secrets masked; None if it cannot be claimed now."""
    assessment = leases.claim(
        Assessment.objects.all(), space_id=space_id, row_id=assessment_id, now=now,
        until=now + LEASE, lease=RandomUUID(),
    )  # fmt: skip
    if assessment is not None:
        forget_secrets(assessment)
    return assessment


def renew(*, assessment: Assessment, now: datetime) -> None:
    """Renew the lease unless it was lost, so that a slow model keeps its exchange."""
    Assessment.objects.leased_by(assessment).update(leased_until=now + LEASE)


def finish(
    *, assessment: Assessment, judgement: Judgement, now: datetime, advisor: Advisor | None = None
) -> Memory | None:
    """Store the assessment, and its memory if important enough, in one transaction.

    The advisor may decide how the memory relates to its neighbours (assessor.reconciling). Returns
    the exchange's memory: new, known or waiting for review; None if it is not important enough or
    the lease was lost. Raises AssessmentError if the memory cannot be embedded.
    """
    policy = current_policy(assessment.space).document
    if policy.assessment.mask_secrets:
        judgement = mask_judgement(judgement)
    span = span_of(assessment)
    important = judgement.importance >= policy.assessment.store_above
    worth = important and any(map(anything_said, span))
    if assessment.memory is not None:  # assessed before
        _finish_again(assessment, judgement, policy, worth=worth, now=now)
        return assessment.memory
    if not worth:
        _store(assessment, State.IGNORED, judgement, policy, now)
        return None
    intent = write_intent(assessment, span, judgement, now, advisor)
    return _remember(assessment, intent, policy, now)


@transaction.atomic
def _finish_again(
    assessment: Assessment, judgement: Judgement, policy: PolicyDocument, *, worth: bool,
    now: datetime,
) -> None:  # fmt: skip
    """Store a later assessment, and update the memory that only this exchange taught."""
    state = State.DONE if worth else State.IGNORED
    if _store(assessment, state, judgement, policy, now):
        go_by_new(assessment, judgement, worth=worth, now=now)


@transaction.atomic
def _remember(
    assessment: Assessment, intent: MemoryWriteIntent, policy: PolicyDocument, now: datetime
) -> Memory | None:
    """Store the assessment and its memory; no memory if the assistant repeated a known one."""
    state = State.IGNORED if intent.is_known() else State.DONE
    stored = _store(assessment, state, intent.judgement, policy, now)
    if not stored or state == State.IGNORED:
        return None
    memory = intent.keep(now)
    Assessment.objects.in_span(assessment).update(memory=memory)
    return memory


def _store(
    assessment: Assessment,
    state: State,
    judgement: Judgement,
    policy: PolicyDocument,
    now: datetime,
) -> bool:
    """End the exchange with its assessment; return False if the lease was lost.

    All rows of a span get the figures; only its first row gets the texts.
    """
    values = asdict(judgement)
    shared = {name: values.pop(name) for name in _SHARED_BY_A_SPAN}
    shared["ttl_seconds"] = ttl_seconds(judgement.importance, policy.ttl.tiers)
    return end(assessment, state, shared | {"finished_at": now}, **values)


def is_unwanted(assessment: Assessment, policy: AssessmentPolicy) -> bool:
    """Return whether an unassessed exchange belongs to a conversation and learning is off."""
    of_conversation = assessment.source_conversation and assessment.importance is None
    return bool(of_conversation) and not policy.enabled


def skip(*, assessment: Assessment, now: datetime) -> None:
    """End a claimed exchange and its span without an assessment."""
    end(assessment, State.IGNORED, {"finished_at": now, "reasoning": Reason("learning_off")})


def reschedule(
    *, assessment: Assessment, error: AssessmentError, now: datetime, jitter: float
) -> None:
    """Record a failed attempt and retry later, or fail the exchange if a retry cannot help.

    The pause doubles with each attempt; `jitter` in [0, 1] shortens it by up to half, so that
    exchanges that failed together are not retried together.
    """
    said, tries = storable(str(error)), failed_tries(assessment, error, now)
    if error.permanent or assessment.attempts >= MAX_ATTEMPTS:
        fail(assessment, said, now, failed_tries=tries)
        return
    pause = min(FIRST_PAUSE * 2 ** (assessment.attempts - 1), LONGEST_PAUSE) * (1 - jitter / 2)
    asked = min(error.retry_after or 0.0, LONGEST_WISH.total_seconds())
    due_at = now + max(pause, timedelta(seconds=asked))
    Assessment.objects.leased_by(assessment).update(
        state=State.RETRYING,
        due_at=due_at,
        enqueued_at=due_at - leases.REQUEUE_AFTER,  # so that beat enqueues it when it is due
        leased_until=None,
        error=said,
        failed_tries=tries,
    )


def retry(*, space: Space, assessment_id: UUID, now: datetime) -> None:
    """Queue a failed exchange again, with its span. Raises Conflict unless it has failed."""
    failed = Assessment.objects.filter(space_id=space.pk, pk=assessment_id, state=State.FAILED)
    first_ids = failed.values_list(Coalesce("part_of", "pk"), flat=True)
    if (first_id := first_ids.first()) is None:
        raise Conflict("Only a failed assessment can be retried.")
    first = Assessment(pk=first_id, space=space)
    requeue(Assessment.objects.in_span(first).filter(state=State.FAILED), now)
    enqueue_on_commit(first)


@transaction.atomic
def store_judged(
    *, space: Space, exchange: Exchange, judgement: Judgement, now: datetime
) -> Assessment:
    """Store an exchange that was assessed while its caller waited, and its memory; return it."""
    assessment = Assessment.objects.create(
        space=space, created_at=now, due_at=now, state=State.RUNNING, attempts=1, **asdict(exchange)
    )
    finish(assessment=assessment, judgement=judgement, now=now)
    return Assessment.objects.select_related("memory").get(space_id=space.pk, pk=assessment.pk)
