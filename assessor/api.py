"""JSON API: assess an exchange now, queue it, and read assessments and statistics."""

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from assessor import services
from assessor.exchanges import unsaved
from assessor.judging import Exchange, Judgement, judge, model_configuration
from assessor.llm import get_model
from assessor.models import Assessment, State
from assessor.schemas import (
    AssessmentList,
    AssessmentListIn,
    AssessmentOut,
    AssessOut,
    ExchangeIn,
    QueuedOut,
    StatsOut,
)
from assessor.screening import judged_part, mask_exchange
from memory.access.authentication import Access, access_to
from memory.connections import release_connection
from memory.errors import NotFound
from memory.models import Memory
from memory.models.policies import current_policy
from memory.pagination import keyset
from memory.policy import PolicyDocument
from memory.requests import OnceOnly, RowId, may_fail, parse_uuid
from memory.retention.overview import came_and_went, overview

router = Router(tags=["assessment"])


@router.post(
    "assess",
    response=AssessOut,
    url_name="assess",
    operation_id="assess",
    openapi_extra=may_fail(503),
)
async def assess(request: HttpRequest, asked: ExchangeIn) -> dict[str, Any]:
    """Assess an exchange and return the result. Nothing is stored unless `store` is true."""
    access = access_to(request, "write" if asked.store else "read")
    exchange, policy = await sync_to_async(_prepared)(access, asked)
    configuration = model_configuration()
    model_factory = (lambda: get_model(**configuration)) if configuration else None
    judgement = await judge(judged_part(exchange), policy, model_factory)
    if not asked.store:
        return {"assessment": unsaved(exchange, judgement, policy), "memory": None}
    return await sync_to_async(_store)(access, exchange, judgement)


def _prepared(access: Access, asked: ExchangeIn) -> tuple[Exchange, PolicyDocument]:
    """Return the exchange with secrets masked, and the policy.

    Releases the database connection before the model is asked.
    """
    document = current_policy(access.space).document
    release_connection()
    exchange = asked.exchange()
    return mask_exchange(exchange) if document.assessment.mask_secrets else exchange, document


def _store(access: Access, exchange: Exchange, judgement: Judgement) -> dict[str, Any]:
    now = timezone.now()
    assessment = services.store_judged(
        space=access.space, exchange=exchange, judgement=judgement, now=now
    )
    decay = current_policy(access.space).document.decay
    memories = Memory.objects.in_space(access.space).with_importance_now(decay=decay, now=now)
    memory = memories.filter(pk=assessment.memory_id).first() if assessment.memory_id else None
    return {"assessment": assessment, "memory": memory}


@router.post(
    "assessments",
    response={202: QueuedOut},
    url_name="assessments_create",
    operation_id="queueAssessment",
)
def queue_assessment(
    request: HttpRequest,
    asked: ExchangeIn,
    idempotency_key: OnceOnly = None,
) -> Status[dict[str, Any]]:
    """Queue an exchange for assessment.

    It is stored at once, and a worker assesses it exactly once.
    """
    access = access_to(request, "write")
    assessment = services.queue_assessment(
        space=access.space,
        exchange=asked.exchange(),
        now=timezone.now(),
        idempotency_key=idempotency_key,
    )
    return Status(202, {"id": assessment.pk, "status": assessment.state})


@router.get(
    "assessments",
    response=AssessmentList,
    url_name="assessments_list",
    operation_id="listAssessments",
)
def list_assessments(request: HttpRequest, asked: Query[AssessmentListIn]) -> dict[str, Any]:
    """List the space's assessments, newest first."""
    rows = Assessment.objects.in_space(access_to(request, "read").space).select_related("memory")
    if asked.status:
        rows = rows.filter(state=asked.status)
    items, following = keyset("-created_at").page(rows, limit=asked.limit, cursor=asked.cursor)
    return {"items": items, "next": following}


def _one(access: Access, reference: str) -> Assessment:
    found = Assessment.objects.in_space(access.space).filter(pk=parse_uuid(reference)).first()
    if found is None:
        raise NotFound("Assessment not found.")
    return found


@router.get(
    "assessments/{id}",
    response=AssessmentOut,
    url_name="assessments_get",
    operation_id="getAssessment",
)
def get_assessment(request: HttpRequest, id: RowId) -> Assessment:
    """Return one assessment."""
    return _one(access_to(request, "read"), id)


@router.post(
    "assessments/{id}/retry",
    response={202: QueuedOut},
    url_name="assessments_retry",
    operation_id="retryAssessment",
    openapi_extra=may_fail(409),
)
def retry_assessment(request: HttpRequest, id: RowId) -> Status[dict[str, Any]]:
    """Queue a failed assessment again."""
    access = access_to(request, "write")
    assessment = _one(access, id)
    services.retry(space=access.space, assessment_id=assessment.pk, now=timezone.now())
    return Status(202, {"id": assessment.pk, "status": State.QUEUED})


@router.get(
    "stats", response=StatsOut, url_name="stats", operation_id="getStats", tags=["memories"]
)
def get_stats(request: HttpRequest) -> StatsOut:
    """Return the space's statistics: active memories, daily changes and waiting assessments."""
    space, now = access_to(request, "read").space, timezone.now()
    found = overview(space=space, now=now)
    return StatsOut.model_validate(
        {
            **vars(found),
            "over_capacity": found.over_capacity,
            "days": came_and_went(space=space, now=now),
            "assessments": Assessment.objects.in_space(space).counted_by_state(),
        }
    )
