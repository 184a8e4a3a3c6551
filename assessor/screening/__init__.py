"""Screens text between the exchange and the assessor, and between the assessor and the store.

    machine_text  removes recalled memories, system prompts and tool results before assessment
    provenance    finds the origin of words: the user's own, pasted, the assistant's
    attacks       sends text that steers the assessor or plants instructions to review, by rules
    disguises     reads lookalike letters, codes and ciphers
    suspicion     the same as attacks, by a trained classifier

Keys, passwords and card numbers are masked before the assessment (memory.text.secrets).
"""

from dataclasses import replace

from assessor.assessing import AssessmentResult, Exchange
from assessor.screening.attacks import Finding, screen
from assessor.screening.machine_text import assessed_part
from assessor.screening.provenance import anything_said, evidence, stated_by_user, texts_of
from assessor.screening.suspicion import DOUBTFUL, SURE, is_enough, suspect, suspect_words
from memory.text.secrets import mask_json, mask_secrets, mask_together

__all__ = [
    "DOUBTFUL",
    "SURE",
    "Finding",
    "anything_said",
    "evidence",
    "assessed_part",
    "is_enough",
    "mask_exchange",
    "mask_result",
    "screen",
    "stated_by_user",
    "suspect",
    "suspect_words",
]


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
    """Return the assessment with its secrets masked: the assessor may have joined
    separate pieces.
    """
    return replace(
        result,
        summary=mask_secrets(result.summary),
        tags=[mask_secrets(tag) for tag in result.tags],
        topics=[mask_secrets(topic) for topic in result.topics],
        omitted=mask_json(result.omitted, mask_secrets),
        reasoning=mask_secrets(result.reasoning),
        raw_answer=mask_secrets(result.raw_answer),
    )
