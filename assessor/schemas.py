"""The JSON shapes of assessment (docs/api.md)."""

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema
from pydantic import BeforeValidator

from assessor.judging import Exchange
from memory.drafts import MAX_CONTENT, JsonObject, MemoryTypeName, Text
from memory.requests import Body, Cursor, Flag, Limit, example
from memory.store.schemas import MemoryOut

StateName = Literal["queued", "running", "retrying", "done", "ignored", "failed"]
_NONE_IF_EMPTY = BeforeValidator(lambda value: value or None)
Said = Annotated[Text, Field(max_length=MAX_CONTENT)]


class ExchangeIn(Body):
    """A finished exchange to be judged."""

    model_config = example(
        user_message="My sister Ana lives in Porto", assistant_response="Good to know!"
    )

    user_message: Annotated[Said, Field(min_length=1)]
    assistant_response: Said = ""
    source_role: Annotated[Text, Field(max_length=20)] = "user"
    context: JsonObject = {}
    conversation_id: Annotated[Text, Field(max_length=200)] | None = None
    rubric: Literal["graded", "facets"] | None = None
    provider: Literal["auto", "llm", "local", "cascade"] | None = None
    store: Flag = False

    def exchange(self) -> Exchange:
        return Exchange(
            user_message=self.user_message,
            assistant_response=self.assistant_response,
            source_role=self.source_role,
            context=self.context,
            source_conversation=self.conversation_id or "",
            rubric=self.rubric or "",
            provider=self.provider or "",
        )


class _Judged(Schema):
    """What was judged, stored or not."""

    status: StateName
    user_message: str
    assistant_response: str
    importance: float | None
    summary: str
    tags: list[str]
    topics: list[str]
    memory_type: Annotated[MemoryTypeName | None, _NONE_IF_EMPTY]
    reasoning: str
    facets: dict[str, float] | None
    ttl_seconds: int | None
    rubric: str
    provider: str
    model: str
    prompt_version: str
    attempts: int
    latency_ms: float | None
    tokens: int | None
    cost_usd: float | None
    # How sure who judged is, 0 to 1; null where nobody said.
    confidence: float | None
    first_importance: float | None
    error: Annotated[str | None, _NONE_IF_EMPTY]
    memory_id: UUID | None
    # Why the memory it became had to wait for a person.
    review_reason: str | None

    @staticmethod
    def resolve_review_reason(assessment: Any) -> str | None:
        return assessment.memory.review_reason or None if assessment.memory else None

    @staticmethod
    def resolve_status(assessment: Any) -> str:
        return str(assessment.state)


class AssessmentOut(_Judged):
    """How far an assessment is and what was judged; null where nothing is known yet."""

    id: UUID
    created_at: datetime


class JudgedOut(_Judged):
    """A judgement. What was not stored has no id and no time."""

    id: UUID | None
    created_at: datetime | None


class AssessOut(Schema):
    """The answer of `assess`: the judgement, and the memory if it was stored."""

    assessment: JudgedOut
    memory: MemoryOut | None


class QueuedOut(Schema):
    """A queued assessment."""

    id: UUID
    status: StateName


class AssessmentListIn(Schema):
    """Filters and place of a list of assessments."""

    status: StateName | None = None
    limit: Limit = 50
    cursor: Cursor | None = None


class AssessmentList(Schema):
    """One page, newest first."""

    items: list[AssessmentOut]
    next: str | None


class DayOut(Schema):
    """What came and went on a day, in UTC."""

    day: date
    came: int
    went: int


class StatsOut(Schema):
    """A space in numbers. Those by type and by importance now are of live memories; `assessments`
    are all there are, by state."""

    by_status: dict[str, int]
    by_type: dict[str, int]
    by_importance: dict[str, int]
    pinned: int
    core: int
    expiring_24h: int
    expiring_7d: int
    capacity: int
    over_capacity: int
    days: list[DayOut]
    assessments: dict[str, int]
