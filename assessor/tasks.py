"""Celery tasks of the outbox: fetch, assess, call a service. Each may run twice."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Sequence
from datetime import timedelta
from functools import partial
from typing import TypeVar
from uuid import UUID

from celery import shared_task
from django import db
from django.utils import timezone

from assessor import services, spans
from assessor.errors import AssessmentError
from assessor.exchanges import joined, span_of
from assessor.judging import Exchange, Judgement, judge, model_configuration
from assessor.llm import model_session
from assessor.models import Assessment
from assessor.reconciling import Advice, advise
from memory.connections import in_thread, release_connection
from memory.models.policies import current_policy
from memory.policy import PolicyDocument
from memory.recall.similar import Neighbour

logger = logging.getLogger(__name__)

T = TypeVar("T")


@shared_task
def assess(space_id: int, assessment_id: str) -> None:
    """Assess one exchange, unless another worker has it."""
    assessment = services.claim(
        space_id=space_id, assessment_id=UUID(assessment_id), now=timezone.now()
    )
    if assessment is None:
        return
    policy = current_policy(assessment.space).document
    if services.is_unwanted(assessment, policy.assessment):
        services.skip(assessment=assessment, now=timezone.now())
        return
    if spans.has_to_wait(assessment, policy.assessment):
        idle = timedelta(minutes=policy.assessment.idle_minutes)
        spans.wait_for_span(assessment=assessment, idle=idle, now=timezone.now())
        return
    exchange = joined(span_of(assessment))
    release_connection()
    try:
        judgement = asyncio.run(_renewing(assessment, _judge(exchange, policy)))
        advisor = partial(_advise, assessment, policy) if judgement.provider == "llm" else None
        services.finish(
            assessment=assessment, judgement=judgement, now=timezone.now(), advisor=advisor
        )
    except AssessmentError as error:
        jitter = random.random()  # noqa: S311 - spreads retries; nothing depends on its secrecy
        services.reschedule(assessment=assessment, error=error, now=timezone.now(), jitter=jitter)


@shared_task(name="assessor.tasks.pick_up_assessments")
def requeue_due_assessments() -> None:
    """Enqueue exchanges that are due; scheduled by beat."""
    services.requeue_due(now=timezone.now())


async def _renewing(assessment: Assessment, work: Awaitable[T]) -> T:
    """Return the work's result, and renew the lease meanwhile.

    Renewal continues after a database error.
    """

    async def renew() -> None:
        while True:
            await asyncio.sleep(services.LEASE.total_seconds() / 3)
            try:
                await in_thread(services.renew, assessment=assessment, now=timezone.now())
            except db.Error as error:
                logger.warning("The lease on %s was not renewed: %s", assessment.pk, error)

    renewing = asyncio.create_task(renew())
    try:
        return await work
    finally:
        renewing.cancel()


def _advise(
    assessment: Assessment, policy: PolicyDocument, statement: str, close: Sequence[Neighbour]
) -> Advice | None:
    """Ask the model how a statement relates to the memories close to it."""
    configuration = model_configuration()
    if configuration is None:
        return None
    release_connection()

    async def ask() -> Advice | None:
        async with model_session(**configuration) as model:
            seconds = policy.assessment.timeout_seconds
            return await advise(statement, close, lambda: model, timeout=seconds)

    return asyncio.run(_renewing(assessment, ask()))


async def _judge(exchange: Exchange, policy: PolicyDocument) -> Judgement:
    configuration = model_configuration()
    if configuration is None:
        return await judge(exchange, policy, None)
    async with model_session(**configuration) as model:
        return await judge(exchange, policy, lambda: model)
