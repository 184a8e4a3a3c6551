"""Screens text between the exchange and the assessor, and between the assessor and the store.

    machine_text  removes recalled memories, system prompts and tool results before assessment
    provenance    finds the origin of words: the user's own, pasted, the assistant's
    attacks       sends text that steers the assessor or plants instructions to review

Keys, passwords and card numbers are masked before the assessment (memory.text.secrets).
"""

from dataclasses import replace

from assessor.judging import Exchange, Judgement
from assessor.screening.attacks import Finding, screen
from assessor.screening.machine_text import judged_part
from assessor.screening.provenance import anything_said, evidence, stated_by_user, texts_of
from memory.text.secrets import mask_json, mask_secrets, mask_together

__all__ = [
    "Finding",
    "anything_said",
    "evidence",
    "judged_part",
    "mask_exchange",
    "mask_judgement",
    "screen",
    "stated_by_user",
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


def mask_judgement(judgement: Judgement) -> Judgement:
    """Return the assessment with its secrets masked: the assessor may have joined
    separate pieces.
    """
    return replace(
        judgement,
        summary=mask_secrets(judgement.summary),
        tags=[mask_secrets(tag) for tag in judgement.tags],
        topics=[mask_secrets(topic) for topic in judgement.topics],
        reasoning=mask_secrets(judgement.reasoning),
        raw_answer=mask_secrets(judgement.raw_answer),
    )
