"""The JSON shapes of assessment (docs/api.md)."""

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema
from pydantic import BeforeValidator

from accounts.authentication import Access
from assessor.assessing import Exchange
from foundation.http.requests import Body, Cursor, Flag, Limit, UserId, example
from foundation.texts.fields import GivenName, Id, JsonObject, Spoken, Text, ZoneName
from memory.drafts import MAX_CONTENT, MemoryTypeName, Metadata
from memory.models.reasons import in_english
from memory.store.schemas import MemoryOut

StateName = Literal["queued", "running", "retrying", "done", "ignored", "failed"]
_NONE_IF_EMPTY = BeforeValidator(lambda value: value or None)
Said = Annotated[Text, Field(max_length=MAX_CONTENT)]


class ExchangeIn(Body):
    """A finished exchange to assess."""

    model_config = example(
        user_message="My sister Ana lives in Porto", assistant_response="Good to know!"
    )

    user_message: Annotated[Said, Field(min_length=1)]
    assistant_response: Said = ""
    source_role: Annotated[Text, Field(max_length=20)] = "user"
    context: JsonObject = {}
    conversation_id: Annotated[Id, Field(max_length=200)] | None = None
    rubric: Literal["graded", "facets"] | None = None
    provider: Literal["auto", "llm", "local", "cascade"] | None = None
    store: Flag = False
    user_id: UserId = None
    agent_id: GivenName | None = None
    session_id: GivenName | None = None
    metadata: Metadata = {}
    created_at: Annotated[
        Spoken | None,
        Field(description="When the user said it; by default now."),
    ] = None
    timezone: ZoneName | None = None

    def exchange(self, access: Access) -> Exchange:
        """Return the request as an exchange of the caller's user. Raises InvalidArguments."""
        return Exchange(
            user_message=self.user_message,
            assistant_response=self.assistant_response,
            source_role=self.source_role,
            context=self.context,
            source_conversation=self.conversation_id or "",
            rubric=self.rubric or "",
            provider=self.provider or "",
            user_id=access.owner,
            said_by=access.person,
            agent_id=self.agent_id,
            session_id=self.session_id,
            metadata=self.metadata,
        )


class OmittedOut(Schema):
    """Tags and topics of the model's answer that exceed the limits."""

    tags: list[str] = []
    topics: list[str] = []


class _Assessed(Schema):
    """An assessment, stored or not."""

    status: StateName
    user_id: str | None
    user_message: str
    assistant_response: str
    importance: float | None
    summary: str
    tags: list[str]
    topics: list[str]
    omitted: Annotated[
        OmittedOut,
        Field(description="Tags beyond ten and topics beyond five, which were left out."),
    ]
    memory_type: Annotated[MemoryTypeName | None, _NONE_IF_EMPTY]
    reasoning: str
    facets: dict[str, float] | None
    ttl_seconds: int | None
    rubric: str
    provider: str
    model: str
    prompt_version: str
    # The model that the built-in assessor replaced; null if none.
    fallback_of: Annotated[str | None, _NONE_IF_EMPTY]
    # Why: no_answer or ungrounded; null if none.
    fallback_reason: Annotated[str | None, _NONE_IF_EMPTY]
    attempts: int
    latency_ms: float | None
    tokens: int | None
    cost_usd: float | None
    # The assessor's confidence, 0 to 1; null if not given.
    confidence: float | None
    first_importance: float | None
    error: Annotated[str | None, _NONE_IF_EMPTY]
    memory_id: UUID | None
    # The reason if its memory was sent to review.
    review_reason: str | None

    @staticmethod
    def resolve_review_reason(assessment: Any) -> str | None:
        """Return why the memory waits for review, in English, or None."""
        return in_english(assessment.memory.review_reason) or None if assessment.memory else None

    @staticmethod
    def resolve_status(assessment: Any) -> str:
        """Return the state; the API calls it status."""
        return str(assessment.state)


class AssessmentOut(_Assessed):
    """The state and result of an assessment. Results that are not known yet are null."""

    id: UUID
    created_at: datetime


class AssessedOut(_Assessed):
    """The result of an assessment. It has no id and no time unless it was stored."""

    id: UUID | None
    created_at: datetime | None


class AssessOut(Schema):
    """The assessment, and its memory if one was stored."""

    assessment: AssessedOut
    memory: MemoryOut | None


class QueuedOut(Schema):
    """The id and state of a queued assessment."""

    id: UUID
    status: StateName


class AssessmentListIn(Schema):
    """The filters and the cursor of a list of assessments."""

    status: StateName | None = None
    limit: Limit = 50
    cursor: Cursor | None = None


class AssessmentList(Schema):
    """One page of assessments, newest first."""

    items: list[AssessmentOut]
    next: str | None


class DayOut(Schema):
    """The numbers of memories added and removed on one day, in the caller's time zone."""

    day: date
    came: int
    went: int


class StatsOut(Schema):
    """A space's statistics. `by_type` and `by_importance` (current importance) count active
    memories.

    `assessments` counts all assessments by state.
    """

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
