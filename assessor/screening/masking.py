"""Masks the secrets of an exchange and of its assessment."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assessor.assessing import AssessmentResult, Exchange
from memory.text.secrets import mask_json, mask_secrets, mask_together


def mask_exchange(exchange: Exchange) -> Exchange:
    """Return the exchange with the secrets in all its parts masked."""
    texts = [exchange.user_message, exchange.assistant_response, *texts_of(exchange.context)]
    masked = dict(zip(texts, mask_together(texts), strict=True))
    return replace(
        exchange,
        user_message=masked[exchange.user_message],
        assistant_response=masked[exchange.assistant_response],
        context=mask_json(exchange.context, masked.__getitem__),
    )


def mask_result(result: AssessmentResult) -> AssessmentResult:
    """Return the assessment with its secrets masked: the assessor may have joined separate
    pieces."""
    return replace(
        result,
        summary=mask_secrets(result.summary),
        tags=[mask_secrets(tag) for tag in result.tags],
        topics=[mask_secrets(topic) for topic in result.topics],
        omitted=mask_json(result.omitted, mask_secrets),
        reasoning=mask_secrets(result.reasoning),
        raw_answer=mask_secrets(result.raw_answer),
    )


def texts_of(value: Any) -> Iterator[str]:
    """Yield the texts in JSON at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_of(item)
