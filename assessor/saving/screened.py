"""Screens an assessed exchange and its drafts: first with the rules, then with the classifier, and
with a model if the classifier is in doubt.
"""

from collections.abc import Sequence
from dataclasses import replace

from assessor.assessing import AssessmentResult, Exchange, with_usage
from assessor.errors import AssessmentError
from assessor.models import Assessment
from assessor.saving.exchanges import earlier_messages
from assessor.saving.second_opinion import SecondOpinion
from assessor.screening import DOUBTFUL, SURE, Finding, is_enough, screen, suspect
from assessor.screening.suspicion import CONFIRMED, TURNS
from memory.drafts import MemoryDraft
from memory.embeddings import EmbeddingError
from memory.policy import AssessmentPolicy


def screened(
    assessment: Assessment,
    span: Sequence[Exchange],
    drafts: Sequence[MemoryDraft],
    result: AssessmentResult,
    ask: SecondOpinion | None,
    policy: AssessmentPolicy,
) -> tuple[Finding | None, AssessmentResult]:
    """Return the first finding in any exchange or in the drafts, and the assessment with the
    model's opinions added. The finding is None if there is none or if the policy's `review` is off.

    Drafts are suspicious only if their words match no wish in the exchanges. Raises AssessmentError
    if the exchange cannot be embedded.
    """
    if not policy.review:
        return None, result
    written = "\n".join(
        text for draft in drafts for text in (draft.content, *draft.tags, *draft.topics)
    )
    earlier = earlier_messages(span[0], assessment.space, before=assessment.created_at)
    for one in span:
        found = screen(one)
        if found is None:
            found, result = _suspected(one, earlier, result, ask)
        if found:
            return found, result
        earlier.append(one.user_message)
    findings = [screen(one, written) for one in span]
    return (findings[0] if all(findings) else None), result


def _suspected(
    exchange: Exchange,
    earlier: Sequence[str],
    result: AssessmentResult,
    ask: SecondOpinion | None,
) -> tuple[Finding | None, AssessmentResult]:
    """Return the classifier's finding unless a model calls it harmless, or a doubtful finding that
    a model confirms.
    """
    try:
        doubt = suspect(exchange, earlier, least=DOUBTFUL)
    except EmbeddingError as error:
        raise AssessmentError.caused_by(error) from error
    if doubt is None:
        return None, result
    by_classifier = doubt if is_enough(doubt) else None
    if ask is None or (doubt.probability or 0.0) >= SURE:
        return by_classifier, result
    opinion = ask([*earlier, exchange.user_message][-TURNS:], doubt)
    if opinion is None:
        return by_classifier, result
    told = f"{result.reasoning} {opinion.told(doubt)}".strip()
    result = replace(with_usage(result, opinion.usage, opinion.cost_usd), reasoning=told)
    if opinion.verdict == "unsure":
        return by_classifier, result
    return (replace(doubt, does=CONFIRMED) if opinion.verdict == "planted" else None), result
