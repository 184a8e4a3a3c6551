"""From a judgement to a memory: remembered, held for review, or known already."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assessor.errors import AssessmentError
from assessor.exchanges import joined
from assessor.judging import Exchange, Judgement, with_usage
from assessor.models import Assessment
from assessor.reconciling import Advisor, close_ones
from assessor.screening import Finding, screen, stated_by_user
from memory.actors import Actor
from memory.drafts import Facets, MemoryDraft, Source
from memory.embeddings import EmbeddingError
from memory.models import Memory
from memory.reconciliation import Decision
from memory.services.memories import Prepared, prepare_memories
from memory.services.reconciliation import is_echo, near, remember
from memory.services.review import hold_memory


@dataclass(frozen=True)
class MemoryWriteIntent:
    """What a judge would have remembered of an exchange (seed 001, Architecture): embedded and
    screened, to be handed to the memory service."""

    assessment: Assessment
    exchange: Exchange
    judgement: Judgement
    prepared: Prepared
    finding: Finding | None
    proposed: Decision | None

    def is_known(self) -> bool:
        """Whether the judge took up what the assistant repeated from memory, and the user did not
        say. Else a memory would be reinforced each time it is recalled or, put into other words,
        remembered beside itself.
        """
        if self.finding is not None or stated_by_user(self.judgement.summary, self.exchange):
            return False
        return is_echo(self.prepared)

    def keep(self, now: datetime) -> Memory:
        """The memory that holds it from now on; one that waits for review if something was found.

        To be called in the transaction that ends the assessment.
        """
        common: dict[str, Any] = {
            "prepared": self.prepared,
            "actor": Actor("assessor", self.judgement.model),
            "now": now,
            "source_assessment": self.assessment.pk,
        }
        if self.finding is not None:
            return hold_memory(reason=self.finding.reason, **common)
        return remember(proposed=self.proposed, **common).memory


def write_intent(
    assessment: Assessment,
    span: Sequence[Exchange],
    judgement: Judgement,
    now: datetime,
    advisor: Advisor | None,
) -> MemoryWriteIntent:
    """Embeds and screens, before a transaction begins. `span` is what was judged.

    The advisor is asked where there are close neighbours; what that took is added to the judgement.
    Raises AssessmentError if it cannot be embedded.
    """
    draft = _draft(assessment, judgement)
    try:
        prepared = prepare_memories(space=assessment.space, drafts=[draft], now=now)
    except EmbeddingError as error:
        raise AssessmentError(str(error), permanent=error.permanent) from error
    finding = None
    if prepared.policy.document.assessment.review:
        written = "\n".join([draft.content, *draft.tags, *draft.topics])
        finding = _found(span, written)
    advice = None
    if advisor is not None and finding is None and (close := close_ones(near(prepared))):
        advice = advisor(draft.content, close)
        judgement = with_usage(judgement, advice.usage if advice else None)
    proposed = advice.decision if advice else None
    return MemoryWriteIntent(assessment, joined(span), judgement, prepared, finding, proposed)


def _found(span: Sequence[Exchange], written: str) -> Finding | None:
    """What is wrong with any of the exchanges, or with what was written of them: that may echo what
    the user wished in any one."""
    for one in span:
        if found := screen(one):
            return found
    findings = [screen(one, written) for one in span]
    return findings[0] if all(findings) else None


def _draft(assessment: Assessment, judgement: Judgement) -> MemoryDraft:
    return MemoryDraft(
        content=judgement.summary,
        memory_type=judgement.memory_type,
        importance=judgement.importance,
        facets=Facets(**judgement.facets) if judgement.facets else None,
        tags=judgement.tags,
        topics=judgement.topics,
        created_at=assessment.created_at,
        source=Source(
            role=assessment.source_role,
            conversation_id=assessment.source_conversation or None,
        ),
    )
