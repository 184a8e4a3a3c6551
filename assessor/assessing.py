"""Chooses the assessor of an exchange: a language model if one is configured, otherwise the
built-in one.

`cascade` asks the built-in assessor first, and the model only if the built-in assessor is unsure.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from time import perf_counter
from typing import Any, Literal, cast
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings

from assessor import local
from assessor.errors import AssessmentError
from assessor.facts import Fact
from assessor.language_model.facts import asked_before
from assessor.language_model.grounding import is_grounded
from assessor.language_model.importance_assessor import MemoryImportanceAssessor, Verdict
from assessor.language_model.prompts import FACTS, Rubric
from assessor.llm import ChatModel, LLMFactory, Usage
from assessor.models import FallbackReason
from foundation.texts.storable import storable
from memory.drafts import MemoryTypeName
from memory.models import Reason
from memory.policy import PolicyDocument

LOCAL_MODEL = "built-in"
# The built-in assessor has no rubric `facts`; it uses `graded` instead.
LOCAL_VERSIONS = {"graded": "reader-1", "facets": "reader-facets-1"}
# In a cascade, the model is asked if the reader is less sure whether to keep the message.
SURE = 0.9
# The rubric `facts` shows a message of less worth to no model; in one of more, a fact is found.
SURELY_NOT, SURELY = 0.1, 0.7
NO_MODEL = "No language model is connected. Connect one, or use the built-in assessor."
# Length of the database column: the name comes from the endpoint and may be longer.
MODEL_NAME_LENGTH = 120


@dataclass(frozen=True)
class Exchange:
    """A user message with the assistant's response, its source and the options of its assessment.

    `user_id` is the user of the space to whom the memory will belong; None shares it. `said_by` is
    the person who said it, if known: a standing rule is theirs. The memory also gets the caller's
    `agent_id`, `session_id` and `metadata`.
    """

    user_message: str
    assistant_response: str = ""
    source_role: str = "user"
    context: dict[str, Any] = field(default_factory=dict)
    source_conversation: str = ""
    rubric: str = ""
    provider: str = ""
    user_id: str | None = None
    said_by: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class AssessmentResult:
    """The assessment of an exchange, with the assessor's name, cost and latency.

    `summary`, `importance` and what follows from them describe the exchange as a whole. `facts` are
    its facts, if the assessor tells them apart.
    """

    importance: float
    memory_type: MemoryTypeName
    summary: str
    tags: list[str]
    topics: list[str]
    reasoning: str
    provider: str
    model: str
    prompt_version: str
    rubric: str
    latency_ms: float
    raw_answer: str = ""
    tokens: int | None = None
    cost_usd: float | None = None
    facets: dict[str, float] | None = None
    # The answer's "tags" and "topics" beyond the limits, which the assessment leaves out.
    omitted: dict[str, list[str]] = field(default_factory=dict)
    # The assessor's confidence in [0, 1]; None if not given.
    confidence: float | None = None
    # In a cascade: the importance from the built-in assessor, whichever result was used.
    first_importance: float | None = None
    # The model that the built-in assessor replaced, and the FallbackReason.
    fallback_of: str = ""
    fallback_reason: str = ""
    # The connection of the model that was asked; None if the environment configures the model.
    connection_id: UUID | None = None
    facts: Sequence[Fact] = ()

    def statements(self, facts: Literal["separate", "one"]) -> list[Fact]:
        """Return what may become memories: the separate facts, or the summary as one."""
        if self.facts and facts == "separate":
            return list(self.facts)
        told = {one.name: getattr(self, one.name) for one in fields(Fact) if one.name != "text"}
        return [Fact(text=self.summary, **told)]

    def columns(self) -> dict[str, Any]:
        """Return the columns of the assessment's row."""
        return {name: value for name, value in asdict(self).items() if name != "facts"}

    @property
    def persistence(self) -> float | None:
        """The facet P, or None without facets."""
        return self.facets["P"] if self.facets else None


def is_built_in(exchange: Exchange, policy: PolicyDocument, *, has_model: bool) -> bool:
    """Return whether the built-in assessor alone assesses the exchange, and asks no model."""
    provider = exchange.provider or policy.assessment.provider
    return provider == "local" or (provider == "auto" and not has_model)


async def assess_exchange(
    exchange: Exchange, policy: PolicyDocument, model_factory: Callable[[], ChatModel] | None,
    *, attempt: int = 1, earlier: Sequence[str] = (),
) -> AssessmentResult:  # fmt: skip
    """Assess the exchange with the policy's provider, or with the exchange's own if it names one.

    The policy decides how long to wait for a model at this attempt. `earlier` is the conversation
    before the exchange, for the built-in assessor. Raises AssessmentError. Needs no database
    connection.
    """
    provider = exchange.provider or policy.assessment.provider
    if provider == "auto":
        provider = "llm" if model_factory else "local"
    if provider == "llm":
        return await assess_with_model(
            exchange, policy, model_factory, attempt=attempt, earlier=earlier
        )
    rubric = exchange.rubric or policy.assessment.rubric
    result = await sync_to_async(assess_locally, thread_sensitive=False)(exchange, rubric, earlier)
    if provider == "local":
        return result
    first = result.importance
    if (result.confidence or 0.0) < SURE:
        result = await assess_with_model(
            exchange, policy, model_factory, attempt=attempt, earlier=earlier
        )
    return replace(result, first_importance=first)


def assess_locally(
    exchange: Exchange, rubric: str = "graded", earlier: Sequence[str] = ()
) -> AssessmentResult:
    """Assess with the built-in assessor: no key, no network, a few milliseconds."""
    started = perf_counter()
    rubric = rubric if rubric in LOCAL_VERSIONS else "graded"
    assessed = local.assess(
        exchange.user_message,
        exchange.assistant_response,
        earlier=earlier,
        with_facets=rubric == "facets",
    )
    return AssessmentResult(
        importance=assessed.importance,
        memory_type=cast(MemoryTypeName, assessed.memory_type),
        summary=assessed.summary,
        tags=assessed.tags,
        topics=assessed.topics,
        reasoning=assessed.reasoning,
        provider="local",
        model=LOCAL_MODEL,
        facets=assessed.facets.stored() if assessed.facets else None,
        prompt_version=LOCAL_VERSIONS[rubric],
        rubric=rubric,
        latency_ms=(perf_counter() - started) * 1000,
        cost_usd=0.0,
        confidence=assessed.confidence,
        facts=assessed.facts,
    )


def fall_back(
    exchange: Exchange, rubric: str, model: str, reason: FallbackReason, earlier: Sequence[str],
    **kept: Any,
) -> AssessmentResult:  # fmt: skip
    """Assess with the built-in assessor instead of this model, with the rubric that the model was
    to use, and say so in the result.
    """
    local_result = assess_locally(exchange, rubric, earlier)
    return replace(
        local_result, fallback_of=model[:MODEL_NAME_LENGTH], fallback_reason=reason, **kept
    )


async def assess_with_model(
    exchange: Exchange, policy: PolicyDocument, model_factory: Callable[[], ChatModel] | None,
    *, attempt: int = 1, earlier: Sequence[str] = (),
) -> AssessmentResult:  # fmt: skip
    """Assess with one call to a model by the exchange's or the policy's rubric.

    Falls back on the built-in assessor for a summary that the exchange does not support. By the
    rubric `facts`, the reader decides where it is sure of any. Raises AssessmentError.
    """
    if model_factory is None:
        raise AssessmentError(NO_MODEL, permanent=True)
    rubric, options = exchange.rubric or policy.assessment.rubric, policy.assessment
    worth = _worth(exchange, earlier) if rubric == FACTS else SURELY_NOT
    if worth < SURELY_NOT:
        return await sync_to_async(_nothing_told, thread_sensitive=False)(exchange)
    started = perf_counter()
    assessor = MemoryImportanceAssessor(
        LLMFactory(weak=model_factory), timeout_seconds=options.timeout_of(attempt),
        tiers=policy.ttl.tiers, rubric=rubric,
        asks_confidence=options.review_below_confidence > 0,
    )  # fmt: skip
    said = exchange.user_message, exchange.assistant_response, exchange.source_role
    tells = worth >= SURELY
    verdict = await assessor.assess(*said, exchange.context, earlier, tells=tells)
    result = _result(verdict, assessor.rubric, (perf_counter() - started) * 1000)
    if verdict.facts or not (tells or result.importance >= options.store_above):
        return result  # supported already, or not saved, so that its summary does no harm
    return await sync_to_async(_grounded, thread_sensitive=False)(exchange, result, earlier)


def _worth(exchange: Exchange, earlier: Sequence[str]) -> float:
    """Return what the reader thinks of a person's message; no opinion on a document's."""
    if exchange.source_role != "user":
        return SURELY_NOT
    return local.worth_of(said := exchange.user_message, asked_before(said, earlier))


def _nothing_told(exchange: Exchange) -> AssessmentResult:
    reasoning = str(Reason("only_asks"))
    return replace(assess_locally(exchange), importance=0.0, reasoning=reasoning)


def _result(verdict: Verdict, rubric: Rubric, latency_ms: float) -> AssessmentResult:
    """Return a model's verdict as a result, with what it cost."""
    result = AssessmentResult(
        **verdict.assessment.model_dump(),
        facets=verdict.facets.stored() if verdict.facets else None,
        omitted=verdict.omitted,
        confidence=verdict.confidence,
        provider="llm",
        model=storable(verdict.answer.model)[:MODEL_NAME_LENGTH],
        prompt_version=rubric.version,
        rubric=rubric.name,
        latency_ms=latency_ms,
        raw_answer=storable(verdict.answer.text),
        facts=verdict.facts,
    )
    return with_usage(result, verdict.answer.usage, verdict.answer.cost_usd)


def _grounded(
    exchange: Exchange, result: AssessmentResult, earlier: Sequence[str]
) -> AssessmentResult:
    if result.rubric != FACTS and is_grounded(result.summary, exchange.user_message):
        return result
    return fall_back(
        exchange,
        result.rubric,
        result.model,
        FallbackReason.UNGROUNDED,
        earlier,
        raw_answer=result.raw_answer,
        latency_ms=result.latency_ms,
        tokens=result.tokens,
        cost_usd=result.cost_usd,
    )


def with_usage(
    result: AssessmentResult, usage: Usage | None, connection_cost: float | None = None
) -> AssessmentResult:
    """Return the assessment with the tokens and cost of one more answer added.

    The environment's prices override `connection_cost`, which follows the prices of the connection.
    """
    if usage is None:
        return result
    cost = connection_cost
    if settings.EBB_PRICES is not None:
        prompt, completion = settings.EBB_PRICES
        spent = usage.prompt_tokens * prompt + usage.completion_tokens * completion
        cost = spent / 1_000_000
    return replace(
        result,
        tokens=(result.tokens or 0) + usage.prompt_tokens + usage.completion_tokens,
        cost_usd=None if cost is None else (result.cost_usd or 0.0) + cost,
    )
