"""Screens and assesses texts that a model wants to save: our part of memory.tools.write_guard.

A connected model is also asked how a text relates to known memories, as for assessed exchanges.

Only the words are known, not their origin; in the chat the conversation is known, too
(chat.responders.toolbox).
"""

import asyncio
from collections.abc import Sequence

from django.utils import timezone

from accounts.models import Space
from assessor.assessing import Exchange, assess_locally
from assessor.language_model.reconciling import Advice, close_ones
from assessor.language_model.reconciling import advise as ask_model
from assessor.llm import model_session
from assessor.screening import steering
from foundation.database.connections import release_connection
from memory.drafts import Facets
from memory.formulas.importance import TYPE_IMPORTANCE
from memory.model_connections.choosing import chosen_model
from memory.model_connections.usage import UsageMeter
from memory.models import Purpose, UsagePurpose
from memory.policy import PolicyDocument
from memory.recall.similar import Neighbour
from memory.reconciliation.rules import Decision
from memory.text.how_to_answer import says_how_to_answer
from memory.tools.write_guard import Guard, TypeAndImportance


def review_reason(words: str) -> str | None:
    """Return the reason to send these words to review, or None."""
    finding = steering(Exchange(""), [words])
    return finding.reason if finding else None


def assess(content: str, rubric: str) -> TypeAndImportance:
    """Return the built-in assessor's type and importance of a statement by the rubric. One that
    says how to answer ("Keep answers short") is a preference, though it reads like a request."""
    result = assess_locally(Exchange(content), rubric)
    facets = Facets(**result.facets) if result.facets else None
    if result.memory_type == "observation" and says_how_to_answer(content):
        importance = max(result.importance, TYPE_IMPORTANCE["preference"])
        return TypeAndImportance("preference", importance, facets)
    return TypeAndImportance(result.memory_type, result.importance, facets)


def facets_of(content: str) -> Facets:
    """Return the built-in assessor's facets of a memory's text."""
    result = assess_locally(Exchange(content), "facets")
    return Facets(**(result.facets or {}))


def advise(
    space: Space, policy: PolicyDocument, statement: str, neighbours: Sequence[Neighbour]
) -> Decision | None:
    """Return the model's decision on the statement; None if the policy asks no model, none is
    connected, no memory is close, or its answer is unusable (logged)."""
    chosen, close = chosen_model(Purpose.ASSESS, space), close_ones(neighbours)
    if policy.assessment.provider == "local" or chosen is None or not close:
        return None
    meter = UsageMeter.of(space, UsagePurpose.RECONCILE, chosen)
    release_connection()
    seconds = policy.assessment.timeout_seconds

    async def ask() -> Advice | None:
        async with model_session(**chosen.configuration, meter=meter) as model:
            return await ask_model(statement, close, lambda: model, timeout=seconds)

    try:
        advice = asyncio.run(ask())
    finally:
        meter.store(timezone.now())
    return advice.decision if advice else None


GUARD = Guard(review_reason, assess, advise)
