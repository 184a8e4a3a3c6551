"""An exchange on its way through the outbox, for the tests of its stations."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.models import Space
from assessor.assessing import AssessmentResult, Exchange
from assessor.errors import AssessmentError
from assessor.lessons import Lesson
from assessor.models import Assessment
from assessor.outbox import services
from memory.models import Memory

NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
EXCHANGE = Exchange("I moved to Lisbon in March", "How do you like it?")
BY_MODEL = replace(EXCHANGE, provider="llm")  # waits for a worker


def queued(space: Space, exchange: Exchange = EXCHANGE, **options: Any) -> Assessment:
    return services.queue_assessment(space=space, exchange=exchange, now=NOW, **options)


def claim(assessment: Assessment, now: datetime = NOW) -> Assessment | None:
    return services.claim(space_id=assessment.space_id, assessment_id=assessment.pk, now=now)


def claimed(space: Space, exchange: Exchange = EXCHANGE) -> Assessment:
    taken = claim(queued(space, exchange))
    assert taken is not None
    return taken


def assessment_result(importance: float = 0.8, **changes: Any) -> AssessmentResult:
    values: dict[str, Any] = {
        "importance": importance,
        "memory_type": "fact",
        "summary": "User moved to Lisbon in March",
        "tags": ["lisbon"],
        "topics": ["Lisbon"],
        "reasoning": "It lasts",
        "provider": "llm",
        "model": "stub",
        "prompt_version": "graded-1",
        "rubric": "graded",
        "latency_ms": 12.0,
    }
    return AssessmentResult(**values | changes)


def reschedule(
    assessment: Assessment,
    *,
    permanent: bool = False,
    retry_after: float | None = None,
    jitter: float = 0.0,
    now: datetime = NOW,
) -> Assessment:
    error = AssessmentError("The model is away.", permanent=permanent, retry_after=retry_after)
    services.reschedule(assessment=assessment, error=error, now=now, jitter=jitter)
    return again(assessment)


def taught(assessment: Assessment, memory: Memory, position: int = 0) -> Lesson:
    """The memory as one that the exchange taught."""
    return Lesson.objects.create(
        space=assessment.space, assessment=assessment, memory=memory, position=position
    )


def again(assessment: Assessment) -> Assessment:
    return Assessment.objects.select_related("space__embedder").get(pk=assessment.pk)
