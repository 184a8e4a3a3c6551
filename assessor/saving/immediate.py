"""Assesses an exchange while its caller waits, for the API and the page of an assessment."""

from collections.abc import Sequence
from dataclasses import replace

from asgiref.sync import sync_to_async
from django.utils import timezone

from accounts.models import Space
from assessor.assessing import AssessmentResult, Exchange, assess_exchange
from assessor.llm import MeteredModel, get_model
from memory.model_connections.choosing import ChosenModel
from memory.model_connections.usage import UsageMeter
from memory.models import UsagePurpose
from memory.policy import PolicyDocument


async def assess_now(
    space: Space,
    exchange: Exchange,
    policy: PolicyDocument,
    chosen: ChosenModel | None,
    earlier: Sequence[str] = (),
) -> AssessmentResult:
    """Assess the exchange and return the result; store the model's usage. `earlier` is the
    conversation before the exchange. Raises AssessmentError.
    """
    if chosen is None:
        return await assess_exchange(exchange, policy, None, earlier=earlier)
    meter = UsageMeter.of(space, UsagePurpose.ASSESS, chosen)
    model = MeteredModel(get_model(**chosen.configuration), meter)
    try:
        result = await assess_exchange(exchange, policy, lambda: model, earlier=earlier)
    finally:
        await sync_to_async(meter.store)(timezone.now())
    asked = result.provider == "llm" or result.fallback_of
    return replace(result, connection_id=chosen.connection_id) if asked else result
