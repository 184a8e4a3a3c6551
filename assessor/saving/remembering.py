"""Turns an assessment into a memory: saved, sent to review, or already known."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assessor.assessing import AssessmentResult, Exchange, with_usage
from assessor.errors import AssessmentError
from assessor.gate.exchanges import handed_over_in
from assessor.language_model.reconciling import Advisor, close_ones
from assessor.models import Assessment
from assessor.saving.exchanges import joined
from assessor.saving.screened import screened
from assessor.saving.second_opinion import SecondOpinion
from assessor.saving.taught import lock_taught
from assessor.screening import Finding, evidence, stated_by_user
from foundation.actors import Actor
from foundation.errors import Conflict
from memory.drafts import DOCUMENT, MAX_TAGS, Facets, MemoryChange, MemoryDraft, Replacement, Source
from memory.embeddings import EmbeddingError
from memory.formulas.importance import DEFAULT_TYPE, TYPE_IMPORTANCE
from memory.models import BinReason, Memory
from memory.models.policies import current_policy
from memory.models.reasons import FROM_DOCUMENT, FROM_PASTED, UNSURE, Reason, because
from memory.policy import AssessmentPolicy
from memory.recall.similar import NEIGHBOURS, Neighbour
from memory.recall.standing import owned_by_speaker
from memory.reconciliation.discarding import superseded_by
from memory.reconciliation.rules import Decision, Verdict, is_same_text, one_text
from memory.reconciliation.services import CONTRADICTING, Statement, by_rule, is_echo, near
from memory.reconciliation.succession import inherited
from memory.retention.recycle_bin import move_to_bin
from memory.review.services import hold_memory, remember_or_hold
from memory.store.services import Prepared, prepare_memories, revise_memory
from memory.text.text_similarity import meaning
from memory.tools import TOOL


@dataclass(frozen=True)
class Kept:
    """A memory of this exchange that the model wrote by a tool, with its text merged with the
    assessment.
    """

    memory: Memory
    content: str


@dataclass(frozen=True)
class MemoryWriteIntent:
    """The memory to write for an assessed exchange (seed 001, Architecture): embedded and screened.

    `handed` is the text of the message that another person may have written. `kept` is the memory
    that the answering model has already written, if any.
    """

    exchange: Exchange
    result: AssessmentResult
    prepared: Prepared
    finding: Finding | None
    handed: str
    unsure: bool
    proposed: Decision | None
    kept: Kept | None = None

    def is_known(self) -> bool:
        """Return whether the summary repeats a memory that the assistant recalled, not the user's
        words.

        Without this check, each recall of a memory would reinforce it or, in other words, duplicate
        it.
        """
        if self.finding is not None or stated_by_user(self.result.summary, self.exchange):
            return False
        return is_echo(self.prepared)

    def keep(self, now: datetime) -> Memory:
        """Write the memory and return it; it waits for review if the screening found something.

        Call in the transaction that ends the assessment.
        """
        actor = Actor("assessor", self.result.model)
        if self.finding is None and self.kept is not None:
            return self._assessed(self.kept, actor, now)
        common: dict[str, Any] = {
            "prepared": self.prepared,
            "actor": actor,
            "now": now,
            "proposed": self.proposed,
        }
        quote = evidence(self.result.summary, self.exchange)
        if reason := self._why_held(quote):
            return hold_memory(reason=reason, **common)
        return remember_or_hold(evidence=quote, **common).memory

    def _why_held(self, quote: str) -> str:
        """Return the reason for a review, or "". A document's words count as another person's."""
        if self.finding is not None:
            return self.finding.reason
        if self.exchange.source_role == DOCUMENT:
            return because(FROM_DOCUMENT, str(self.exchange.metadata.get("document", "")))
        if self.handed:
            return because(FROM_PASTED, self.handed)
        return because(UNSURE, quote) if self.unsure else ""

    def _assessed(self, kept: Kept, actor: Actor, now: datetime) -> Memory:
        """Update a memory written by a tool with its assessment; return it unchanged if it was
        deleted.

        With facets, they determine the importance. Otherwise it is at least the default, because
        the user asked for the memory.
        """
        [draft] = self.prepared.drafts
        least = TYPE_IMPORTANCE[DEFAULT_TYPE]
        change = MemoryChange(
            content=kept.content if kept.content != kept.memory.content else None,
            memory_type=draft.memory_type,
            importance=None if draft.facets else max(draft.base_importance, least),
            facets=draft.facets,
            tags=_both(kept.memory.tags, draft.tags),
            topics=_both(kept.memory.topics, draft.topics),
        )
        try:
            return revise_memory(
                space=self.prepared.space,
                memory_id=kept.memory.pk,
                change=change,
                actor=actor,
                now=now,
                reason=Reason("assessed"),
            )
        except Conflict:
            return kept.memory


def _both(words: Sequence[str], more: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*words, *more]))[:MAX_TAGS]


def write_intent(
    assessment: Assessment,
    span: Sequence[Exchange],
    result: AssessmentResult,
    now: datetime,
    advisor: Advisor | None,
    second_opinion: SecondOpinion | None,
) -> MemoryWriteIntent:
    """Embed and screen the memory before a transaction begins. `span` is the assessed exchanges.

    Asks the advisor about close neighbours, and for a second opinion on doubtful words. Adds the
    cost to the assessment. Raises
    AssessmentError if the memory cannot be embedded.
    """
    draft = _draft(assessment, result)
    prepared = _prepared(assessment, draft, now)
    policy = prepared.policy.document.assessment
    finding, result = screened(assessment, span, draft, result, second_opinion, policy)
    neighbours = near(prepared)
    kept = _kept(assessment, draft, neighbours)
    known = kept is not None or any(is_same_text(draft.content, one) for one in neighbours)
    proposed = None
    if advisor is not None and finding is None and not known:
        close = close_ones(neighbours[:NEIGHBOURS])
        if advice := advisor(draft.content, close) if close else None:
            proposed = advice.decision
            result = with_usage(result, advice.usage, advice.cost_usd)
    unsure = _is_unsure(result, policy)
    said, handed = joined(span), _handed(span)
    return MemoryWriteIntent(said, result, prepared, finding, handed, unsure, proposed, kept)


def tells_news(
    assessment: Assessment, span: Sequence[Exchange], result: AssessmentResult, now: datetime
) -> bool:
    """Return whether the user's words change an active memory: "Miro died" is short, but makes a
    memory about Miro outdated. A change that only the trained model finds must name something from
    the memory.

    Raises AssessmentError if the words cannot be embedded.
    """
    if not stated_by_user(result.summary, joined(span)):
        return False
    prepared = _prepared(assessment, _draft(assessment, result), now)
    decision = by_rule(Statement.of(prepared, now))
    if decision.memory is None or decision.verdict not in CONTRADICTING:
        return False
    named = meaning(result.summary) & meaning(decision.memory.content)
    return decision.verdict is Verdict.SUPERSEDE or bool(named)


def _is_unsure(result: AssessmentResult, policy: AssessmentPolicy) -> bool:
    confidence = result.confidence
    return confidence is not None and confidence < policy.review_below_confidence


def _handed(span: Sequence[Exchange]) -> str:
    """Return the texts that another person may have written. Raises AssessmentError if one cannot
    be embedded.
    """
    try:
        return " ".join(filter(None, map(handed_over_in, span)))
    except EmbeddingError as error:
        raise AssessmentError.caused_by(error) from error


def _prepared(assessment: Assessment, draft: MemoryDraft, now: datetime) -> Prepared:
    """Return the draft with its vectors. Raises AssessmentError if it cannot be embedded."""
    try:
        return prepare_memories(
            space=assessment.space, drafts=[draft], now=now, source_assessment=assessment.pk
        )
    except EmbeddingError as error:
        raise AssessmentError.caused_by(error) from error


def _kept(
    assessment: Assessment, draft: MemoryDraft, neighbours: Sequence[Neighbour]
) -> Kept | None:
    """Return the memory that the model wrote with a tool in this exchange, if it is the same as the
    draft.
    """
    for neighbour in neighbours:
        memory = neighbour.memory
        written_here = (
            memory.source_role == TOOL
            and memory.source_conversation == assessment.source_conversation != ""
            and memory.created_at >= assessment.created_at
        )
        if written_here and (content := one_text(draft.content, neighbour)) is not None:
            return Kept(memory, content)
    return None


def _draft(assessment: Assessment, result: AssessmentResult) -> MemoryDraft:
    draft = MemoryDraft(
        user_id=assessment.user_id,
        agent_id=assessment.agent_id,
        session_id=assessment.session_id,
        metadata=assessment.metadata,
        content=result.summary,
        memory_type=result.memory_type,
        importance=result.importance,
        facets=Facets(**result.facets) if result.facets else None,
        tags=result.tags,
        topics=result.topics,
        created_at=assessment.said_at,
        source=Source(
            role=assessment.source_role,
            conversation_id=assessment.source_conversation or None,
        ),
    )
    return owned_by_speaker(assessment.space, draft, assessment.said_by)


def update_memory(
    assessment: Assessment, result: AssessmentResult, *, worth: bool, now: datetime
) -> None:
    """Update the memory that only this exchange taught with its new assessment.

    The importance, type, facets, tags and topics change; the content stays, because people may have
    read it. The memory moves to the bin if `worth` is false. Memories with other sources stay
    unchanged. Call in the transaction that ends the assessment.
    """
    if not (taught := lock_taught(assessment.space, [assessment.pk], [])):
        return
    which: dict[str, Any] = {
        "space": assessment.space,
        "memory_id": taught[0].pk,
        "actor": Actor("assessor", result.model),
        "now": now,
        "reason": Reason("assessed_again"),
    }
    if not worth:
        move_to_bin(why=BinReason.SUPERSEDED, **which)
        return
    revise_memory(change=_replacement(_draft(assessment, result), taught[0]), **which)


def _replacement(draft: MemoryDraft, memory: Memory) -> Replacement:
    """Return the new assessment of a memory, with the values inherited from the memories it
    superseded.
    """
    tiers = current_policy(memory.space).document.ttl.tiers
    importance, facets = draft.base_importance, draft.facets
    for old in superseded_by(memory):
        importance, facets = inherited(importance, facets, old, tiers)
    return Replacement(
        memory_type=draft.memory_type,
        importance=importance,
        facets=facets,
        tags=draft.tags,
        topics=draft.topics,
    )
