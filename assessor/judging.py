"""Chooses the assessor of an exchange: a language model if one is configured, else the built-in
one.

`cascade` asks the built-in assessor first, and the model only if that one is unsure.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, TypedDict, cast

from asgiref.sync import sync_to_async
from django.conf import settings

from assessor import local
from assessor.errors import AssessmentError
from assessor.importance_assessor import MemoryImportanceAssessor
from assessor.llm import ChatModel, Usage
from assessor.storable import storable
from memory.drafts import MemoryTypeName
from memory.embeddings import get_embedder
from memory.policy import PolicyDocument

LOCAL_MODEL = "built-in"
LOCAL_VERSION = "local-1"
# Range of built-in importances in which a cascade asks the model (docs/local-assessor.md).
UNSURE = (0.15, 0.55)
# Limit of the column; the name comes from the endpoint.
MODEL_NAME_LENGTH = 120


@dataclass(frozen=True)
class Exchange:
    """A user message with the assistant's response, its source and the options of its
    assessment.
    """

    user_message: str
    assistant_response: str = ""
    source_role: str = "user"
    context: dict[str, Any] = field(default_factory=dict)
    source_conversation: str = ""
    rubric: str = ""
    provider: str = ""


@dataclass(frozen=True)
class Judgement:
    """The assessment of an exchange, with the assessor's name, cost and latency."""

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
    # The assessor's confidence in [0, 1]; None if not given.
    confidence: float | None = None
    # In a cascade: the importance from the built-in assessor, whichever result was used.
    first_importance: float | None = None


class ModelConfiguration(TypedDict):
    """Constructor options of a chat model."""

    base_url: str
    api_key: str
    model: str


def model_configuration() -> ModelConfiguration | None:
    """Return the assessor model's configuration, or None if no model is configured."""
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return None
    return {
        "base_url": settings.OPENAI_BASE_URL,
        "api_key": settings.OPENAI_API_KEY,
        "model": settings.EBB_ASSESSOR_MODEL,
    }


async def judge(
    exchange: Exchange, policy: PolicyDocument, model_factory: Callable[[], ChatModel] | None
) -> Judgement:
    """Assess the exchange by the policy's provider, or by the exchange's own if it names one.

    Raises AssessmentError. Needs no database connection.
    """
    provider = exchange.provider or policy.assessment.provider
    if provider == "auto":
        provider = "llm" if model_factory else "local"
    if provider == "llm":
        return await judge_with_model(exchange, policy, model_factory)
    judgement = await sync_to_async(judge_locally, thread_sensitive=False)(exchange)
    if provider == "local":
        return judgement
    first = judgement.importance
    if UNSURE[0] <= first < UNSURE[1]:
        judgement = await judge_with_model(exchange, policy, model_factory)
    return replace(judgement, first_importance=first)


def judge_locally(exchange: Exchange) -> Judgement:
    """Assess with the built-in assessor: no key, no network, a few milliseconds."""
    started = perf_counter()
    embedder = get_embedder("local", "all-MiniLM-L6-v2", 384)
    judged = local.judge(exchange.user_message, exchange.assistant_response, embed=embedder.embed)
    return Judgement(
        importance=judged.importance,
        memory_type=cast(MemoryTypeName, judged.memory_type),
        summary=judged.summary,
        tags=judged.tags,
        topics=judged.topics,
        reasoning=judged.reasoning,
        provider="local",
        model=LOCAL_MODEL,
        prompt_version=LOCAL_VERSION,
        rubric="graded",
        latency_ms=(perf_counter() - started) * 1000,
        cost_usd=0.0,
        confidence=judged.confidence,
    )


async def judge_with_model(
    exchange: Exchange, policy: PolicyDocument, model_factory: Callable[[], ChatModel] | None
) -> Judgement:
    """Assess with one call to a model, by the exchange's or the policy's rubric. Raises
    AssessmentError."""
    if model_factory is None:
        raise AssessmentError("No language model is configured.", permanent=True)
    started = perf_counter()
    assessor = MemoryImportanceAssessor(
        model_factory,
        timeout_seconds=policy.assessment.timeout_seconds,
        tiers=policy.ttl.tiers,
        rubric=exchange.rubric or policy.assessment.rubric,
        asks_confidence=policy.assessment.review_below_confidence > 0,
    )
    verdict = await assessor.judge(
        exchange.user_message, exchange.assistant_response, exchange.source_role, exchange.context
    )
    judgement = Judgement(
        **verdict.assessment.model_dump(),
        facets=verdict.facets.stored() if verdict.facets else None,
        confidence=verdict.confidence,
        provider="llm",
        model=storable(verdict.answer.model)[:MODEL_NAME_LENGTH],
        prompt_version=assessor.rubric.version,
        rubric=assessor.rubric.name,
        latency_ms=(perf_counter() - started) * 1000,
        raw_answer=storable(verdict.answer.text),
    )
    return with_usage(judgement, verdict.answer.usage)


def with_usage(judgement: Judgement, usage: Usage | None) -> Judgement:
    """Return the assessment with the tokens and cost of one more answer added."""
    if usage is None:
        return judgement
    cost = cost_usd(usage)
    return replace(
        judgement,
        tokens=(judgement.tokens or 0) + usage.prompt_tokens + usage.completion_tokens,
        cost_usd=None if cost is None else (judgement.cost_usd or 0.0) + cost,
    )


def cost_usd(usage: Usage | None) -> float | None:
    """Return an answer's cost in US dollars by the configured prices; None if prices or usage are
    unknown.
    """
    prompt: float | None = settings.EBB_PRICE_PROMPT
    completion: float | None = settings.EBB_PRICE_COMPLETION
    if usage is None or prompt is None or completion is None:
        return None
    return (usage.prompt_tokens * prompt + usage.completion_tokens * completion) / 1_000_000
