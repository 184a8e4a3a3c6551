"""Celery tasks of the outbox: fetch, assess, call a service. Each may run twice."""

import asyncio
import logging
import random
import threading
from collections.abc import Awaitable, Coroutine, Sequence
from contextvars import copy_context
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from celery import shared_task
from django import db
from django.conf import settings
from django.utils import timezone

from assessor.assessing import (
    AssessmentResult,
    Exchange,
    assess_exchange,
    assess_locally,
    fall_back,
    is_built_in,
)
from assessor.errors import AssessmentError
from assessor.language_model.reconciling import Advice, advise
from assessor.llm import MeteredModel, get_model
from assessor.models import Assessment, FallbackReason
from assessor.outbox import batches, services, spans
from assessor.outbox.notices import mail_owners
from assessor.outbox.queue import TASK
from assessor.outbox.turns import Turns, claim_in_turn
from assessor.saving.exchanges import earlier_texts, exchange_of, joined, span_of
from foundation import log_ids
from foundation.database.connections import in_thread, release_connection
from foundation.database.leases import database_now
from foundation.event_loops import wait_for
from foundation.queue import enqueue
from memory.model_connections.choosing import ChosenModel, chosen_model
from memory.model_connections.observations import observe_speed, observed, replies_end
from memory.model_connections.services import record_failure, record_success
from memory.model_connections.usage import UsageMeter
from memory.models import Purpose, UsagePurpose
from memory.models.policies import current_policy
from memory.policy import PolicyDocument
from memory.recall.similar import Neighbour

logger = logging.getLogger(__name__)

T = TypeVar("T")

# An answer may take this many times as long as the latest one.
_MARGIN = 1.5
_turns = Turns(most=max(1, settings.CELERY_WORKER_CONCURRENCY // 2))

_at_work = threading.BoundedSemaphore(4)
"""The number of a worker's threads that read and store at once; the others wait for models. More
threads would not get more done, because they share a processor, and models' answers would be
handled too late.
"""


@shared_task
def assess(space_id: int, assessment_id: str) -> None:
    """Assess this exchange, or one of another space whose turn it is."""
    with _at_work:
        assessment = claim_in_turn(
            space_id=space_id, assessment_id=UUID(assessment_id), now=database_now(), turns=_turns
        )
        if assessment is None:
            return
        try:
            _assess(assessment)
        finally:
            _turns.leave(assessment.space_id)
            if _turns.recall_task():
                enqueue(TASK, space_id, UUID(assessment_id))


def assess_at_once(assessment: Assessment) -> bool:
    """Assess the exchange in this process, unless an endpoint must answer for that; return whether
    this process has claimed it."""
    if _needs_endpoint(assessment):
        return False
    claimed = services.claim(
        space_id=assessment.space_id, assessment_id=assessment.pk, now=database_now()
    )
    if claimed is not None:
        copy_context().run(_assess, claimed)  # the ids in the log end with it
    return claimed is not None


def _needs_endpoint(assessment: Assessment) -> bool:
    """Return whether a connected model assesses the exchange or embeds its memories."""
    space = assessment.space
    embedders = filter(None, [space.embedder, space.next_embedder])
    if any(embedder.provider != "local" for embedder in embedders):
        return True
    policy = current_policy(space).document
    has_model = chosen_model(Purpose.ASSESS, space) is not None
    return not is_built_in(exchange_of(assessment), policy, has_model=has_model)


def _assess(assessment: Assessment) -> None:
    log_ids.request_id.set(assessment.request_id)
    log_ids.assessment_id.set(str(assessment.pk))
    policy = current_policy(assessment.space).document
    if services.is_unwanted(assessment, policy.assessment):
        services.skip(assessment=assessment, now=database_now())
        return
    if spans.has_to_wait(assessment, policy.assessment):
        idle = timedelta(minutes=policy.assessment.idle_minutes)
        spans.wait_for_span(assessment=assessment, idle=idle, now=database_now())
        return
    chosen = chosen_model(Purpose.ASSESS, assessment.space)
    if chosen and batches.has_to_wait(assessment, policy.assessment, database_now()):
        return
    exchange = joined(span_of(assessment))
    try:
        result = _result(assessment, exchange, policy, chosen)
        by_model = result.provider == "llm"
        services.finish(
            assessment=assessment,
            result=result,
            now=database_now(),
            advisor=partial(_advise, assessment, policy) if by_model else None,
        )
        logger.info("Assessed by %s: %.2f", result.provider, result.importance)
    except AssessmentError as error:
        jitter = random.random()  # noqa: S311 - spreads retries; nothing depends on its secrecy
        services.reschedule(assessment=assessment, error=error, now=database_now(), jitter=jitter)
    if chosen:
        batches.enqueue_next(assessment, policy.assessment, database_now())


@shared_task(name="assessor.tasks.pick_up_assessments")
def requeue_due_assessments() -> None:
    """Enqueue exchanges that are due; scheduled by beat."""
    services.requeue_due(now=database_now())


def _result(
    assessment: Assessment, exchange: Exchange, policy: PolicyDocument, chosen: ChosenModel | None
) -> AssessmentResult:
    """Return the result; after the last attempt, the built-in assessor's if the policy says so.

    Raises AssessmentError.
    """
    rubric = exchange.rubric or policy.assessment.rubric
    earlier = earlier_texts(exchange, assessment.space, before=assessment.created_at)
    if is_built_in(exchange, policy, has_model=chosen is not None):
        return assess_locally(exchange, rubric, earlier)
    patience = _patience(assessment, policy, chosen) if chosen else 1
    release_connection()
    try:
        result = _asked(assessment, exchange, policy, chosen, attempt=patience, earlier=earlier)
    except AssessmentError as error:
        _record_failure(chosen, error)
        last = services.is_last_try(assessment, error) or services.answers_badly(assessment, error)
        if chosen is None or not (last and policy.assessment.fallback):
            raise
        services.record_failed_try(assessment=assessment, error=error, now=database_now())
        result = fall_back(exchange, rubric, chosen.model, FallbackReason.NO_ANSWER, earlier)
        return replace(result, connection_id=chosen.connection_id)
    if chosen is None or chosen.connection is None:
        return result
    if result.provider == "llm":
        record_success(connection=chosen.connection)
    asked = result.provider == "llm" or result.fallback_of
    return replace(result, connection_id=chosen.connection_id) if asked else result


def _asked(
    assessment: Assessment,
    exchange: Exchange,
    policy: PolicyDocument,
    chosen: ChosenModel | None,
    **options: Any,
) -> AssessmentResult:
    """Return the result of this attempt, and store the usage of the model. Raises
    AssessmentError."""
    if chosen is None:
        return _wait_for(assess_exchange(exchange, policy, None, **options))
    meter = UsageMeter.of(assessment.space, UsagePurpose.ASSESS, chosen)
    model = MeteredModel(get_model(**chosen.configuration), meter)

    async def ask() -> AssessmentResult:
        await replies_end(chosen.configuration)
        return await assess_exchange(exchange, policy, lambda: model, **options)

    try:
        return _wait_for(_renewing(assessment, ask()))
    finally:
        observe_speed(chosen.configuration, meter.calls)
        meter.store(timezone.now())


def _patience(assessment: Assessment, policy: PolicyDocument, chosen: ChosenModel) -> int:
    """Return the attempt whose timeout applies. Even the first attempt allows for the time of the
    model's latest answer or timeout, in any space.
    """
    usual: float = observed(chosen.configuration, "seconds") or 0.0
    return max(assessment.attempts, policy.assessment.attempt_within(usual * _MARGIN))


def _record_failure(chosen: ChosenModel | None, error: AssessmentError) -> None:
    """Record on the model's connection that it did not answer."""
    if chosen is not None and chosen.connection is not None and error.code.startswith("model."):
        record_failure(connection=chosen.connection, error=str(error), now=database_now())


async def _renewing(assessment: Assessment, work: Awaitable[T]) -> T:
    """Return the work's result, and renew the lease meanwhile.

    Renewal continues after a database error.
    """

    async def renew() -> None:
        while True:
            await asyncio.sleep(services.LEASE.total_seconds() / 3)
            try:
                await in_thread(_renew, assessment)
            except db.Error as error:
                logger.warning("The lease on %s was not renewed: %s", assessment.pk, error)

    renewing = asyncio.create_task(renew())
    try:
        return await work
    finally:
        renewing.cancel()


def _renew(assessment: Assessment) -> None:
    services.renew(assessment=assessment, now=database_now())


def _advise(
    assessment: Assessment, policy: PolicyDocument, statement: str, close: Sequence[Neighbour]
) -> Advice | None:
    """Ask the model that has just assessed the exchange how a statement relates to the memories
    close to it; return None if no model did."""
    chosen = chosen_model(Purpose.ASSESS, assessment.space)
    if chosen is None:
        return None
    meter = UsageMeter.of(assessment.space, UsagePurpose.RECONCILE, chosen)
    model = MeteredModel(get_model(**chosen.configuration), meter)
    # The model has just answered, and this prompt is about as long.
    seconds = policy.assessment.timeout_of(assessment.attempts + 1)
    ask = advise(statement, close, lambda: model, timeout=seconds)
    try:
        return _wait_for(_renewing(assessment, ask))
    finally:
        meter.store(timezone.now())


def _wait_for(answer: Coroutine[Any, Any, T]) -> T:
    """Return the answer of a model; let another thread work meanwhile."""
    release_connection()
    _at_work.release()
    try:
        return wait_for(answer)
    finally:
        _at_work.acquire()


@shared_task
def mail_notices() -> None:
    """Mail owners about everything that began to wait for them; beat calls this every hour."""
    mail_owners(now=database_now())
