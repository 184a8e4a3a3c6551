"""Decides which facts of an assessment are worth saving."""

from collections.abc import Sequence
from datetime import datetime

from assessor.assessing import Exchange
from assessor.facts import Fact
from assessor.models import Assessment
from assessor.saving.evidence import stated_by_user
from assessor.saving.exchanges import joined
from assessor.saving.remembering import prepare_facts
from memory.reconciliation.rules import Verdict
from memory.reconciliation.services import CONTRADICTING, Statement, by_rule
from memory.text.secrets import says_only_secrets
from memory.text.text_similarity import meaning


def worth_saving(
    assessment: Assessment, span: Sequence[Exchange], facts: Sequence[Fact], least: float,
    now: datetime,
) -> list[Fact]:  # fmt: skip
    """Return the facts that are at least this important or, unless memories of the exchange exist,
    tell news. Raises AssessmentError if a fact cannot be embedded.
    """
    if not any(one.user_message.strip() for one in span):
        return []
    return [
        fact
        for fact in facts
        if not says_only_secrets(fact.text)
        and (
            fact.importance >= least
            or (not assessment.lessons and _tells_news(assessment, span, fact, now))
        )
    ]


def _tells_news(
    assessment: Assessment, span: Sequence[Exchange], fact: Fact, now: datetime
) -> bool:
    """Return whether the user's words change an active memory: "Miro died" is short, but makes a
    memory about Miro outdated. A change that only the trained model finds must name something from
    the memory.
    """
    if not stated_by_user(fact.text, joined(span)):
        return False
    decision = by_rule(Statement.of(prepare_facts(assessment, [fact], now), now))
    if decision.memory is None or decision.verdict not in CONTRADICTING:
        return False
    named = meaning(fact.text) & meaning(decision.memory.content)
    return decision.verdict is Verdict.SUPERSEDE or bool(named)
