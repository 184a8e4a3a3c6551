"""What may become a memory: between what was said and the judge, and between the judge and the
store.

    machine_text  recalled memories, system prompts, tool results are no part of what is judged
    provenance    whose words are whose: the user's own, pasted, the assistant's
    attacks       what tries to steer the judge or to plant instructions waits for a person

Keys, passwords and card numbers are masked before anybody judges (memory.text.secrets).
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
    """The exchange with its secrets masked, wherever in it they stand."""
    texts = [exchange.user_message, exchange.assistant_response, *texts_of(exchange.context)]
    masked = dict(zip(texts, mask_together(texts), strict=True))
    return replace(
        exchange,
        user_message=masked[exchange.user_message],
        assistant_response=masked[exchange.assistant_response],
        context=mask_json(exchange.context, masked.__getitem__),
    )


def mask_judgement(judgement: Judgement) -> Judgement:
    """The same for what a judge wrote: it may have put together what was said in pieces."""
    return replace(
        judgement,
        summary=mask_secrets(judgement.summary),
        tags=[mask_secrets(tag) for tag in judgement.tags],
        topics=[mask_secrets(topic) for topic in judgement.topics],
        reasoning=mask_secrets(judgement.reasoning),
        raw_answer=mask_secrets(judgement.raw_answer),
    )
