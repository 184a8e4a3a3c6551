"""Turns the facts of an assessment into memories: saved, sent to review, or already known."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from assessor.assessing import AssessmentResult, Exchange, with_usage
from assessor.errors import AssessmentError
from assessor.facts import Fact
from assessor.language_model.reconciling import Advisor, close_ones
from assessor.lessons import Lesson
from assessor.models import Assessment
from assessor.saving.evidence import evidence, stated_by_user
from assessor.saving.exchanges import joined, rows_of
from assessor.saving.reassessed import next_place
from assessor.screening import why_held
from foundation.actors import Actor
from foundation.errors import Conflict
from memory.drafts import DOCUMENT, MAX_TAGS, MemoryChange, MemoryDraft, Source
from memory.embeddings import EmbeddingError
from memory.formulas.importance import DEFAULT_TYPE, TYPE_IMPORTANCE
from memory.models import Memory
from memory.models.reasons import FROM_DOCUMENT, UNSURE, Reason, because
from memory.policy import AssessmentPolicy
from memory.recall.similar import NEIGHBOURS, Neighbour
from memory.recall.standing import owned_by_speaker
from memory.reconciliation.rules import Decision, is_same_text, one_text
from memory.reconciliation.services import is_echo, near
from memory.review.services import hold_memory, remember_or_hold
from memory.store.services import Prepared, prepare_memories, revise_memory
from memory.text.event_dates import with_days
from memory.text.text_similarity import meaning, weight
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
    """The memory to write for a fact (seed 001, Architecture): embedded and screened.

    `suspicion` is the reason for a review that the screening found, or "". `kept` is the memory
    that the answering model has already written, if any.
    """

    exchange: Exchange
    fact: Fact
    model: str
    prepared: Prepared
    suspicion: str
    unsure: bool
    proposed: Decision | None
    kept: Kept | None = None

    def is_known(self) -> bool:
        """Return whether the fact repeats a memory that the assistant recalled, not the user's
        words.

        Without this check, each recall of a memory would reinforce it or, in other words, duplicate
        it.
        """
        if self.suspicion or stated_by_user(self.fact.text, self.exchange):
            return False
        return is_echo(self.prepared)

    def keep(self, now: datetime, siblings: Set[UUID]) -> Memory:
        """Write the memory and return it; it waits for review if the screening found something.

        `siblings` are the memories of the facts before. Call in the transaction that ends the
        assessment.
        """
        actor = Actor("assessor", self.model)
        if not self.suspicion and self.kept is not None:
            return self._assessed(self.kept, siblings, actor, now)
        common: dict[str, Any] = {
            "prepared": replace(self.prepared, siblings=siblings),
            "actor": actor,
            "now": now,
            "proposed": self.proposed,
        }
        quote = evidence(self.fact.text, self.exchange)
        if reason := self._why_held(quote):
            return hold_memory(reason=reason, **common)
        return remember_or_hold(evidence=quote, **common).memory

    def _why_held(self, quote: str) -> str:
        """Return the reason for a review, or "". A document's words count as another person's."""
        if self.suspicion:
            return self.suspicion
        if self.exchange.source_role == DOCUMENT:
            return because(FROM_DOCUMENT, str(self.exchange.metadata.get("document", "")))
        return because(UNSURE, quote) if self.unsure else ""

    def _assessed(self, kept: Kept, siblings: Set[UUID], actor: Actor, now: datetime) -> Memory:
        """Update a memory written by a tool with its assessment; return it unchanged if it was
        deleted or a fact before was the same.

        With facets, they determine the importance. Otherwise it is at least the default, because
        the user asked for the memory.
        """
        if kept.memory.pk in siblings:
            return kept.memory
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


def write_intents(
    assessment: Assessment,
    span: Sequence[Exchange],
    facts: Sequence[Fact],
    result: AssessmentResult,
    now: datetime,
    advisor: Advisor | None,
) -> tuple[list[MemoryWriteIntent], AssessmentResult]:
    """Embed and screen the facts before a transaction begins; return what to write of each, and the
    assessment with the cost of the questions asked. `span` is the assessed exchanges.

    Asks the advisor about close neighbours. Raises AssessmentError if a fact cannot be embedded.
    """
    prepared = prepare_facts(assessment, facts, now)
    policy = prepared.policy.document.assessment
    suspicion = (
        why_held(span, [draft.content for draft in prepared.drafts]) if policy.review else ""
    )
    said, intents = joined(span), list[MemoryWriteIntent]()
    for fact, one in zip(facts, _each(prepared), strict=True):
        [draft], neighbours, proposed = one.drafts, near(one), None
        kept = _kept(assessment, draft.content, neighbours)
        if advisor and not (suspicion or kept):
            proposed, result = _advised(draft.content, neighbours, advisor, result)
        unsure = _is_unsure(fact, policy)
        given = (said, fact, result.model, one, suspicion, unsure, proposed, kept)
        intents.append(MemoryWriteIntent(*given))
    return intents, result


def _each(prepared: Prepared) -> list[Prepared]:
    """Return the facts one by one, in order."""
    vectors = {pk: list(made) for pk, made in prepared.vectors.items()}
    return [
        replace(
            prepared,
            drafts=[draft],
            passages=[prepared.passages[i]],
            vectors={pk: made[i : i + 1] for pk, made in vectors.items()},
            source_place=prepared.source_place + i,
        )
        for i, draft in enumerate(prepared.drafts)
    ]


def _advised(
    text: str, neighbours: Sequence[Neighbour], advisor: Advisor, result: AssessmentResult
) -> tuple[Decision | None, AssessmentResult]:
    """Return the advisor's decision about a fact that is near memories but not the same as one, and
    the result with the cost.
    """
    close = close_ones(neighbours[:NEIGHBOURS])
    if not close or any(is_same_text(text, one) for one in neighbours):
        return None, result
    if (advice := advisor(text, close)) is None:
        return None, result
    return advice.decision, with_usage(result, advice.usage, advice.cost_usd)


def keep_all(
    assessment: Assessment, intents: Sequence[MemoryWriteIntent], now: datetime
) -> list[Memory]:
    """Write the new memories, each once, as lessons of the exchanges of the span that said them;
    return them. Call in the transaction that ends the assessment.
    """
    kept: dict[UUID, Memory] = {}
    lessons: dict[tuple[UUID, UUID], Lesson] = {}
    rows = rows_of(assessment)
    for intent in intents:
        memory = intent.keep(now, {*kept, *(one.pk for one in assessment.memories)})
        kept[memory.pk] = memory
        place = intent.prepared.source_place
        for row in _sources(intent.fact.text, rows):
            lesson = Lesson(space=row.space, assessment=row, position=place, memory=memory)
            lessons.setdefault((row.pk, memory.pk), lesson)
    Lesson.objects.bulk_create(lessons.values())
    return list(kept.values())


def _sources(text: str, rows: list[Assessment]) -> list[Assessment]:
    """Return the exchanges of a span whose words a fact has: the one with the most of them, and
    each with as many or with others.
    """
    said = meaning(text)
    words = {row: said & meaning(row.user_message) for row in rows}
    most = max(words.values(), key=weight)
    return [row for row in rows if words[row] >= most or words[row] - most]


def _is_unsure(fact: Fact, policy: AssessmentPolicy) -> bool:
    return fact.confidence is not None and fact.confidence < policy.review_below_confidence


def prepare_facts(assessment: Assessment, facts: Sequence[Fact], now: datetime) -> Prepared:
    """Return the facts' drafts with their vectors. Raises AssessmentError if they cannot be
    embedded.
    """
    try:
        return prepare_memories(
            space=assessment.space,
            drafts=[_draft(assessment, fact) for fact in facts],
            now=now,
            source_assessment=assessment.pk,
            source_place=next_place(assessment),
        )
    except EmbeddingError as error:
        raise AssessmentError.caused_by(error) from error


def _kept(assessment: Assessment, text: str, neighbours: Sequence[Neighbour]) -> Kept | None:
    """Return the memory that the model wrote with a tool in this exchange, if it says the same."""
    for neighbour in neighbours:
        memory = neighbour.memory
        written_here = (
            memory.source_role == TOOL
            and memory.source_conversation == assessment.source_conversation != ""
            and memory.created_at >= assessment.created_at
        )
        if written_here and (content := one_text(text, neighbour)) is not None:
            return Kept(memory, content)
    return None


def _draft(assessment: Assessment, fact: Fact) -> MemoryDraft:
    from_document = assessment.source_role == DOCUMENT  # whose "today" is unknown
    draft = MemoryDraft(
        user_id=assessment.user_id,
        agent_id=assessment.agent_id,
        session_id=assessment.session_id,
        metadata=assessment.metadata,
        content=fact.text if from_document else with_days(fact.text, assessment.said_at),
        memory_type=fact.memory_type,
        importance=fact.importance,
        facets=fact.all_facets,
        tags=fact.tags,
        topics=fact.topics,
        created_at=assessment.said_at,
        source=Source(
            role=assessment.source_role,
            conversation_id=assessment.source_conversation or None,
        ),
    )
    return owned_by_speaker(assessment.space, draft, assessment.said_by)
