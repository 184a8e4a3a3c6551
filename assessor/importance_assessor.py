"""Judging an exchange with a language model (seed 001).

`judge` says what went wrong, for the pipeline that retries; `assess_memory` keeps the seed's
contract: an assessment, or None on time-out, bad JSON or bad schema, each logged.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from assessor import prompts
from assessor.errors import AssessmentError
from assessor.llm import ChatModel, Completion, ModelError
from memory.drafts import Content, MemoryTypeName, Tag, Text, Topic
from memory.formulas.importance import DEFAULT_TYPE
from memory.formulas.retention import Tiers, ttl_seconds

logger = logging.getLogger(__name__)


def _without_fence(text: str) -> str:
    """The JSON object inside an answer that is wrapped in a code fence or in prose."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _first(count: int) -> BeforeValidator:
    """Keeps the first of too many: a model that is generous with tags means no harm."""
    return BeforeValidator(lambda value: value[:count] if isinstance(value, list) else value)


def _as_required(schema: dict[str, Any]) -> None:
    """Structured output wants every field named and no other. Read answers may still lack some."""
    schema["required"] = list(schema["properties"])
    schema["additionalProperties"] = False
    for described in schema["properties"].values():
        described.pop("default", None)


class MemoryAssessment(BaseModel):
    """What a model says of an exchange. Seed 001's form has no type: it is then an observation."""

    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_extra=_as_required)

    importance: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
    memory_type: Annotated[MemoryTypeName, BeforeValidator(lambda v: str(v).lower())] = DEFAULT_TYPE
    summary: Annotated[Content, Field(max_length=2_000)]
    tags: Annotated[list[Tag], Field(min_length=1, max_length=10), _first(10)]
    topics: Annotated[list[Topic], Field(max_length=5), _first(5)] = []
    reasoning: Text = ""


class MemoryImportanceAssessor:
    """Assesses memory importance using a weak model."""

    def __init__(
        self,
        model_factory: Callable[[], ChatModel],
        permanent_threshold: float = 0.7,
        timeout_seconds: float = 5,
        tiers: Tiers | None = None,
    ) -> None:
        self.model_factory = model_factory
        self.timeout_seconds = timeout_seconds
        self.tiers = tiers or Tiers(permanent_threshold=permanent_threshold)

    async def judge(
        self,
        user_message: str,
        assistant_response: str,
        source_role: str,
        context: Mapping[str, Any] | None = None,
    ) -> tuple[MemoryAssessment, Completion]:
        """The assessment and the answer it was read from; raises AssessmentError."""
        messages = prompts.graded(user_message, assistant_response, source_role, context or {})
        try:
            answer = await self.model_factory().complete(
                messages,
                schema=MemoryAssessment.model_json_schema(),
                timeout=self.timeout_seconds,
            )
            return MemoryAssessment.model_validate_json(_without_fence(answer.text)), answer
        except ModelError as error:
            raise AssessmentError(
                str(error), permanent=error.permanent, retry_after=error.retry_after
            ) from error
        except ValidationError as error:
            raise AssessmentError(f"The model's answer does not fit: {error}") from error

    async def assess_memory(
        self,
        user_message: str,
        assistant_response: str,
        source_role: str,
        context: Mapping[str, Any] | None = None,
    ) -> MemoryAssessment | None:
        """The seed's contract: the assessment, or None if there is no usable one."""
        try:
            assessment, _ = await self.judge(user_message, assistant_response, source_role, context)
        except AssessmentError as error:
            logger.warning("Assessment failed: %s", error)
            return None
        return assessment

    def calculate_ttl(self, importance: float) -> int | None:
        """Seconds to live by the four tiers of seed 001, or None for ever."""
        return ttl_seconds(importance, self.tiers)
