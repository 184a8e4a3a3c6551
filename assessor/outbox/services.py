"""Moves an exchange through the outbox: queued, claimed, then finished, skipped, rescheduled or
failed.

A failed exchange may be retried. A worker leases an exchange (foundation.database.leases); after
losing the lease, it writes nothing.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models.functions import Coalesce

from accounts.models import Space
from accounts.models.zones import spoken_columns
from assessor.assessing import AssessmentResult, Exchange
from assessor.errors import AssessmentError
from assessor.facts import Fact
from assessor.language_model.reconciling import Advisor
from assessor.lessons import lessons_of, lessons_taught_by
from assessor.models import MAX_ATTEMPTS, Assessment, State
from assessor.outbox.endings import end, fail, fail_exhausted, failed_tries, spent_on
from assessor.outbox.masking import forget_secrets
from assessor.outbox.queue import TASK, assess_on_commit, requeue
from assessor.saving.exchanges import rows_of, span_of
from assessor.saving.reassessed import changed_others, new_facts, update_memories
from assessor.saving.remembering import MemoryWriteIntent, keep_all, write_intents
from assessor.saving.worth import worth_saving
from assessor.screening import mask_result, why_ignored
from foundation.database import leases
from foundation.errors import Conflict
from foundation.log_ids import request_id
from foundation.moments import beside
from foundation.texts.storable import storable
from memory.formulas.retention import ttl_seconds
from memory.models import Memory, Reason
from memory.models.policies import current_policy
from memory.policy import AssessmentPolicy, PolicyDocument

# The lease is renewed while a model works. Its length decides how soon another worker can claim a
# dead worker's exchange.
LEASE = timedelta(seconds=30)
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=15)
# A model that has given this many unusable answers will not give a usable one.
MAX_BAD_ANSWERS = 3
# Limit for the endpoint's requested pause: some ask for a year or more.
LONGEST_WISH = timedelta(days=1)
_SHARED_BY_A_SPAN = (
    "importance", "memory_type", "provider", "model", "rubric", "prompt_version", "fallback_of",
    "fallback_reason",
)  # fmt: skip


def queue_assessment(
    *,
    space: Space,
    exchange: Exchange,
    now: datetime,
    due_at: datetime | None = None,
    said_at: datetime | None = None,
    idempotency_key: str | None = None,
    learns: bool = True,
) -> Assessment:
    """Write the exchange, said at `said_at` or now, into the outbox; assess it on commit, unless
    it is due later. The zone of that moment is the speaker's.

    An exchange that teaches nothing is ignored at once: any exchange if `learns` is false,
    otherwise one that the gate recognises. A repeated idempotency key returns the first assessment.
    """
    values: dict[str, Any] = asdict(exchange)
    values |= spoken_columns(said_at or now) | {"enqueued_at": now, "due_at": due_at or now}
    values |= {"request_id": request_id.get()}
    if reason := why_ignored(exchange, learns=learns):
        values |= {"state": State.IGNORED, "finished_at": now, "reasoning": reason}
    if idempotency_key is None:
        assessment = Assessment.objects.create(space=space, **values)
    else:
        assessment, _ = Assessment.objects.get_or_create(
            space=space, idempotency_key=idempotency_key, defaults=values
        )
    if assessment.state == State.QUEUED and (due_at is None or due_at <= now):
        assess_on_commit(assessment)
    return assessment


def complete_exchange(
    *, space: Space, assessment_id: UUID, assistant_response: str, now: datetime
) -> None:
    """Add the reply to an exchange that waited for it, and assess it on commit."""
    waiting = Assessment.objects.filter(space_id=space.pk, pk=assessment_id, state=State.QUEUED)
    alone = waiting.filter(span_ends_at=None, part_of=None)
    if alone.update(assistant_response=assistant_response, due_at=now, enqueued_at=now):
        assess_on_commit(Assessment(pk=assessment_id, space=space))
        return
    # An exchange in a span has a new reply, and is due when its span is.
    waiting.update(assistant_response=assistant_response)


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
        until=now + LEASE, lease=uuid4(),
    )  # fmt: skip
    if assessment is not None:
        forget_secrets(assessment)
    return assessment


def renew(*, assessment: Assessment, now: datetime) -> None:
    """Renew the lease unless it was lost, so that a slow model keeps its exchange."""
    Assessment.objects.leased_by(assessment).update(leased_until=now + LEASE)


def finish(
    *,
    assessment: Assessment,
    result: AssessmentResult,
    now: datetime,
    advisor: Advisor | None = None,
) -> list[Memory]:
    """Store the assessment in one transaction, and a memory for each fact that is important enough
    or changes a known one.

    The advisor may decide how a memory relates to its neighbours. Returns the exchange's memories:
    new, known or waiting for review; none if nothing is important enough or the lease was lost.
    Raises AssessmentError if a memory cannot be embedded.
    """
    policy, now = current_policy(assessment.space).document, beside(now, assessment.said_at)
    assessment.lessons = lessons_taught_by(assessment, *rows_of(assessment))
    facts = result.statements(policy.assessment.facts)
    if policy.assessment.mask_secrets:
        result, facts = mask_result(result), [fact.masked() for fact in facts]
    span = span_of(assessment)
    facts = worth_saving(assessment, span, facts, policy.assessment.store_above, now)
    new = new_facts(assessment, facts)
    intents: Sequence[MemoryWriteIntent] = ()
    if new:
        intents, result = write_intents(assessment, span, new, result, now, advisor)
        intents = [intent for intent in intents if not intent.is_known()]
    return _write(assessment, facts, intents, result, policy, now)


@transaction.atomic
def _write(
    assessment: Assessment, facts: Sequence[Fact], intents: Sequence[MemoryWriteIntent],
    result: AssessmentResult, policy: PolicyDocument, now: datetime,
) -> list[Memory]:  # fmt: skip
    """Store the assessment and its new memories, and update those of an assessment before."""
    before = assessment.memories
    saved = intents or (before and (facts or changed_others(assessment)))
    if not _store(assessment, State.DONE if saved else State.IGNORED, result, policy, now):
        return []
    if before:
        update_memories(assessment, facts, result.model, now)
    return before + keep_all(assessment, intents, now)


def _store(
    assessment: Assessment,
    state: State,
    result: AssessmentResult,
    policy: PolicyDocument,
    now: datetime,
) -> bool:
    """End the exchange with its assessment; return False if the lease was lost.

    All rows of a span get the figures; only its first row gets the texts.
    """
    values = result.columns()
    shared = {name: values.pop(name) for name in _SHARED_BY_A_SPAN}
    shared["ttl_seconds"] = ttl_seconds(result.importance, policy.ttl.tiers, result.persistence)
    return end(assessment, state, shared | {"finished_at": now}, **values)


def is_unwanted(assessment: Assessment, policy: AssessmentPolicy) -> bool:
    """Return whether an unassessed exchange belongs to a conversation and learning is off."""
    of_conversation = assessment.source_conversation and assessment.importance is None
    return bool(of_conversation) and not policy.enabled


def skip(*, assessment: Assessment, now: datetime) -> None:
    """End a claimed exchange and its span without an assessment."""
    end(assessment, State.IGNORED, {"finished_at": now, "reasoning": Reason("learning_off")})


def is_last_try(assessment: Assessment, error: AssessmentError) -> bool:
    """Return whether further attempts after this error are pointless."""
    return error.permanent or assessment.attempts >= MAX_ATTEMPTS


def answers_badly(assessment: Assessment, error: AssessmentError) -> bool:
    """Return whether this error is the model's third unusable answer to the exchange."""
    unusable = [one for one in assessment.failed_tries if one["answer"]]
    return bool(error.answer) and len(unusable) + 1 >= MAX_BAD_ANSWERS


def record_failed_try(*, assessment: Assessment, error: AssessmentError, now: datetime) -> None:
    """Record the error of an attempt after which the built-in assessor takes over."""
    tries = failed_tries(assessment, error, now)
    Assessment.objects.leased_by(assessment).update(failed_tries=tries)


def reschedule(
    *, assessment: Assessment, error: AssessmentError, now: datetime, jitter: float
) -> None:
    """Record a failed attempt and retry later, or fail the exchange if a retry cannot help.

    The pause doubles with each attempt; `jitter` in [0, 1] shortens it by up to half, so that
    exchanges that failed together are not retried together.
    """
    said, tries = storable(str(error)), failed_tries(assessment, error, now)
    if is_last_try(assessment, error):
        model = error.model or assessment.model
        fail(assessment, said, error.code, now, failed_tries=tries, model=model, **spent_on(tries))
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
        error_code=error.code,
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
    assess_on_commit(first)


@transaction.atomic
def store_assessed(
    *,
    space: Space,
    exchange: Exchange,
    result: AssessmentResult,
    now: datetime,
    said_at: datetime | None = None,
    idempotency_key: str | None = None,
) -> Assessment:
    """Store an exchange that was assessed while its caller waited, and its memories; return it.

    The exchange was said at `said_at`, or now.
    """
    values: dict[str, Any] = asdict(exchange) | spoken_columns(said_at or now) | {"due_at": now}
    values["idempotency_key"] = idempotency_key
    assessment = Assessment.objects.create(space=space, state=State.RUNNING, attempts=1, **values)
    finish(assessment=assessment, result=result, now=now)
    stored = Assessment.objects.prefetch_related(lessons_of(space))
    return stored.get(space_id=space.pk, pk=assessment.pk)
