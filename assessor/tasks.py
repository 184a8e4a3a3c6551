"""Celery's side of the outbox: fetch, judge, call a service. Each may run twice."""

import asyncio
import random
from uuid import UUID

from celery import shared_task
from django.utils import timezone

from assessor import services
from assessor.errors import AssessmentError
from assessor.judging import Exchange, Judgement, judge, model_configuration
from assessor.llm import model_session
from memory.connections import release_connection
from memory.policy import PolicyDocument
from memory.querysets.policies import current_policy


@shared_task
def assess(space_id: int, assessment_id: str) -> None:
    """Judges one exchange, if nobody else is at it."""
    assessment = services.claim(
        space_id=space_id, assessment_id=UUID(assessment_id), now=timezone.now()
    )
    if assessment is None:
        return
    policy = current_policy(assessment.space).document
    release_connection()
    try:
        judgement = asyncio.run(_judge(services.to_judge(assessment), policy))
        services.finish(assessment=assessment, judgement=judgement, now=timezone.now())
    except AssessmentError as error:
        services.put_off(
            assessment=assessment,
            error=error,
            now=timezone.now(),
            jitter=random.random(),  # noqa: S311 - spreads retries; nothing depends on its secrecy
        )


@shared_task
def pick_up_assessments() -> None:
    """Beat's part of the outbox."""
    services.pick_up(now=timezone.now())


async def _judge(exchange: Exchange, policy: PolicyDocument) -> Judgement:
    configuration = model_configuration()
    if configuration is None:
        return await judge(exchange, policy, None)
    async with model_session(**configuration) as model:
        return await judge(exchange, policy, lambda: model)
