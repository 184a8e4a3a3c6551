"""Who judges an exchange: a language model where one is configured, else the built-in judge."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypedDict, cast

from asgiref.sync import sync_to_async
from django.conf import settings

from assessor import local, prompts
from assessor.errors import AssessmentError
from assessor.importance_assessor import MemoryImportanceAssessor
from assessor.llm import ChatModel
from assessor.storable import storable
from memory.drafts import MemoryTypeName
from memory.embeddings import get_embedder
from memory.policy import PolicyDocument

LOCAL_MODEL = "built-in"
LOCAL_VERSION = "local-1"
# What the column takes; the name comes from the endpoint.
MODEL_NAME_LENGTH = 120


@dataclass(frozen=True)
class Exchange:
    """What was said, and by whom."""

    user_message: str
    assistant_response: str = ""
    source_role: str = "user"
    context: dict[str, Any] = field(default_factory=dict)
    source_conversation: str = ""
    rubric: str = ""
    provider: str = ""


@dataclass(frozen=True)
class Judgement:
    """What somebody made of an exchange, and how."""

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
    facets: dict[str, float] | None = None


class ModelConfiguration(TypedDict):
    """Constructor options of a chat model."""

    base_url: str
    api_key: str
    model: str


def model_configuration() -> ModelConfiguration | None:
    """The assessor's model, or None where no model is configured."""
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
    """Judges the exchange as the policy says, or as the exchange itself asks.

    Raises AssessmentError; no database connection is needed meanwhile.
    """
    provider = exchange.provider or policy.assessment.provider
    if provider == "auto":
        provider = "llm" if model_factory else "local"
    if provider == "local":
        return await sync_to_async(judge_locally, thread_sensitive=False)(exchange)
    if model_factory is None:
        raise AssessmentError("No language model is configured.", permanent=True)
    return await judge_with_model(exchange, policy, model_factory)


def judge_locally(exchange: Exchange) -> Judgement:
    """The built-in judge: no key, no network, a few milliseconds."""
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
    )


async def judge_with_model(
    exchange: Exchange, policy: PolicyDocument, model_factory: Callable[[], ChatModel]
) -> Judgement:
    """One call to a language model, by the rubric `graded`."""
    started = perf_counter()
    assessor = MemoryImportanceAssessor(
        model_factory,
        timeout_seconds=policy.assessment.timeout_seconds,
        tiers=policy.ttl.tiers,
    )
    assessment, answer = await assessor.judge(
        exchange.user_message, exchange.assistant_response, exchange.source_role, exchange.context
    )
    usage = answer.usage
    return Judgement(
        **assessment.model_dump(),
        provider="llm",
        model=storable(answer.model)[:MODEL_NAME_LENGTH],
        prompt_version=prompts.GRADED_VERSION,
        rubric="graded",
        latency_ms=(perf_counter() - started) * 1000,
        raw_answer=storable(answer.text),
        tokens=usage.prompt_tokens + usage.completion_tokens if usage else None,
    )
