"""Assesses an exchange with a language model (seed 001).

`assess` raises an error for the pipeline that retries. `assess_memory` keeps the seed's contract:
an assessment, or None on time-out, bad JSON or bad schema, each logged. In the seed's own words:

    assessor = MemoryImportanceAssessor(llm_factory=LLMFactory(weak=...))
    await assessor.initialize()
    assessment = await assessor.assess_memory(user_message, assistant_response, source_role)
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from assessor.errors import AssessmentError
from assessor.language_model import prompts
from assessor.language_model.answers import (
    FacetAssessment,
    MemoryAssessment,
    omitted_from,
    schema_of,
)
from assessor.llm import ChatMessage, ChatModel, Completion, LLMFactory, LLMType, ModelError
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
    answer, and the tags and topics in it that exceed the seed's limits.
    """

    assessment: MemoryAssessment
    facets: Facets | None
    confidence: float | None
    answer: Completion
    omitted: dict[str, list[str]]


class MemoryImportanceAssessor:
    """Assesses memory importance using a weak model, by the rubric `graded` or `facets`."""

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
    ) -> Verdict:
        """Return the assessment and the answer it was read from; raises AssessmentError."""
        exchange = (user_message, assistant_response, source_role, context or {})
        answer = await self._ask(prompts.question(self.rubric, *exchange))
        try:
            return _verdict(_FORMS[self.rubric.name].model_validate(answer.text), answer)
        except ValidationError as error:
            wrong = "; ".join(
                ": ".join([*map(str, part["loc"]), part["msg"]]) for part in error.errors()
            )
            said = f"The model's answer does not fit: {wrong}"
            raise AssessmentError(
                said,
                answer=answer.text,
                model=answer.model,
                usage=answer.usage,
                cost_usd=answer.cost_usd,
            ) from error

    async def _ask(self, question: list[ChatMessage]) -> Completion:
        """Return the weak model's answer; raises AssessmentError."""
        form = _FORMS[self.rubric.name]
        agent = self.agent or self.llm_factory.get_agent(LLMType.WEAK)
        try:
            return await agent.complete(
                question,
                schema=schema_of(form, confidence=self.asks_confidence),
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
