"""Assesses an exchange with a language model (seed 001).

`assess` raises an error for the pipeline that retries. `assess_memory` keeps the seed's contract:
an assessment, or None on time-out, bad JSON or bad schema, each logged. In the seed's own words:

    assessor = MemoryImportanceAssessor(llm_factory=LLMFactory(weak=...))
    await assessor.initialize()
    assessment = await assessor.assess_memory(user_message, assistant_response, source_role)
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asgiref.sync import sync_to_async

from assessor.errors import AssessmentError
from assessor.facts import Fact
from assessor.language_model import facts, prompts
from assessor.language_model.answers import (
    FacetAssessment,
    MemoryAssessment,
    omitted_from,
    read_as,
    schema_of,
)
from assessor.llm import ChatMessage, ChatModel, Completion, LLMFactory, LLMType, ModelError
from assessor.llm.base import MOST_TOKENS
from memory.drafts import Facets
from memory.formulas.retention import Tiers, ttl_seconds

logger = logging.getLogger(__name__)

_FORMS: dict[str, type[MemoryAssessment] | type[FacetAssessment]] = {
    "graded": MemoryAssessment,
    "facets": FacetAssessment,
}
_SHARED = {"memory_type", "summary", "tags", "topics", "reasoning"}


@dataclass(frozen=True)
class Verdict:
    """An assessment, its facets (rubric `facets`), the model's confidence if given, the
    answer, the tags and topics in it that exceed the seed's limits, and (rubric `facts`) the facts
    that the words of the exchange support.
    """

    assessment: MemoryAssessment
    facets: Facets | None
    confidence: float | None
    answer: Completion
    omitted: dict[str, list[str]]
    facts: Sequence[Fact] = ()


class MemoryImportanceAssessor:
    """Assesses memory importance using a weak model, by one of the rubrics."""

    def __init__(
        self,
        llm_factory: LLMFactory,
        permanent_threshold: float = 0.7,
        timeout_seconds: float = 5,
        tiers: Tiers | None = None,
        rubric: str = "graded",
        asks_confidence: bool = False,
    ) -> None:
        self.llm_factory = llm_factory
        self.agent: ChatModel | None = None
        self.timeout_seconds = timeout_seconds
        self.rubric = (prompts.SURE_RUBRICS if asks_confidence else prompts.RUBRICS)[rubric]
        self.asks_confidence = asks_confidence
        self.tiers = tiers or Tiers(permanent_threshold=permanent_threshold)
        self.permanent_threshold = self.tiers.permanent_threshold

    async def initialize(self) -> None:
        """Get the weak model once. Without this call, each assessment gets it from the factory."""
        self.agent = self.llm_factory.get_agent(LLMType.WEAK)

    async def assess(
        self,
        user_message: str,
        assistant_response: str,
        source_role: str,
        context: Mapping[str, Any] | None = None,
        earlier: Sequence[str] = (),
        *,
        tells: bool = False,
    ) -> Verdict:
        """Return the assessment and the answer it was read from; raises AssessmentError.

        For the rubric `facts`: `earlier` is the conversation before the exchange, and a message
        that `tells` something has at least one fact.
        """
        if self.rubric.name == prompts.FACTS:
            return await self._assess_facts(user_message, earlier, tells)
        exchange = (user_message, assistant_response, source_role, context or {})
        schema = schema_of(_FORMS[self.rubric.name], confidence=self.asks_confidence)
        answer = await self._ask(prompts.question(self.rubric, *exchange), schema)
        return _verdict(read_as(_FORMS[self.rubric.name], answer), answer)

    async def _assess_facts(self, message: str, earlier: Sequence[str], tells: bool) -> Verdict:
        """Return the facts that the message supports as one assessment, or all of them if it
        supports none."""
        asked, schema = facts.question(message, earlier), facts.schema(least=int(tells))
        answer = await self._ask(asked, schema, facts.MOST_TOKENS)
        found = read_as(facts.Facts, answer).each_once()
        said = f"{facts.asked_before(message, earlier)} {message}"
        known = await sync_to_async(facts.supported, thread_sensitive=False)(found, said)
        return Verdict(facts.joined(known or found, message), None, None, answer, {}, known)

    async def _ask(
        self, question: list[ChatMessage], schema: dict[str, Any], max_tokens: int = MOST_TOKENS
    ) -> Completion:
        """Return the weak model's answer; raises AssessmentError."""
        agent = self.agent or self.llm_factory.get_agent(LLMType.WEAK)
        try:
            return await agent.complete(
                question,
                schema=schema,
                max_tokens=max_tokens,
                timeout=self.timeout_seconds,
            )
        except ModelError as error:
            raise AssessmentError.caused_by(error, model=agent.model) from error

    async def assess_memory(
        self,
        user_message: str,
        assistant_response: str,
        source_role: str,
        context: Mapping[str, Any] | None = None,
    ) -> MemoryAssessment | None:
        """Return the assessment, or None if there is no usable one (seed 001's contract)."""
        try:
            verdict = await self.assess(user_message, assistant_response, source_role, context)
        except AssessmentError as error:
            logger.warning("Assessment failed: %s", error)
            return None
        return verdict.assessment

    def calculate_ttl(self, importance: float) -> int | None:
        """Return the lifetime in seconds according to the four tiers of seed 001; None for no
        expiry.
        """
        return ttl_seconds(importance, self.tiers)


def _verdict(read: MemoryAssessment | FacetAssessment, answer: Completion) -> Verdict:
    omitted = omitted_from(answer.text)
    if isinstance(read, MemoryAssessment):
        return Verdict(read, None, read.confidence, answer, omitted)
    facets = read.facets
    values = read.model_dump(include=_SHARED) | {"importance": facets.importance}
    return Verdict(MemoryAssessment(**values), facets, read.confidence, answer, omitted)
