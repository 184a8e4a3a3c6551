"""JSON API: assess an exchange now, queue it, and read assessments and statistics."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router, Status

from accounts.authentication import Access, access_to
from accounts.limits.rate_limits import CallKind, count_call
from assessor.assessing import AssessmentResult, Exchange, assess_locally, is_built_in
from assessor.lessons import lessons_of
from assessor.models import Assessment
from assessor.outbox import services
from assessor.saving.exchanges import earlier_texts, ignored, unsaved
from assessor.saving.immediate import assess_now
from assessor.schemas import (
    AssessmentList,
    AssessmentListIn,
    AssessmentOut,
    AssessOut,
    ExchangeIn,
    QueuedOut,
    StatsOut,
)
from assessor.screening import (
    GATE_HEADER,
    GateReason,
    assessed_part,
    gate_of,
    mask_exchange,
    texts_of,
)
from foundation.database.connections import release_connection
from foundation.database.leases import database_now
from foundation.errors import NotFound
from foundation.http.pagination import keyset
from foundation.http.requests import OnceOnly, RowId, may_fail, parse_uuid
from memory.model_connections.choosing import ChosenModel, chosen_model
from memory.models import Memory, Purpose
from memory.models.policies import current_policy
from memory.policy import PolicyDocument
from memory.recall.share import turn_of
from memory.references import check_change
from memory.retention.overview import came_and_went, overview
from memory.store.idempotency import key_of

router = Router(tags=["assessment"])


@router.post(
    "assess",
    response=AssessOut,
    url_name="assess",
    operation_id="assess",
    openapi_extra=may_fail(503),
)
async def assess(request: HttpRequest, response: HttpResponse, asked: ExchangeIn) -> dict[str, Any]:
    """Assess an exchange and return the result. Nothing is stored unless `store` is true.

    A key needs the scope `write`, because an assessment costs time or a model's money.
    """
    access = access_to(request, "write", asked.user_id)
    exchange, now = asked.exchange(access), timezone.now()
    said_at = access.said(asked.created_at, now=now, zone=asked.timezone)
    if gated := await sync_to_async(_gated)(access, exchange):
        response.headers[GATE_HEADER] = gated
        return _told(ignored(exchange, gated))
    prepared = await sync_to_async(_prepared)(access, exchange, said_at)
    result = prepared.result or await assess_now(
        access.space, prepared.assessed, prepared.policy, prepared.chosen, prepared.earlier
    )
    if not (asked.store and access.learns):
        return _told(unsaved(prepared.exchange, result, prepared.policy))
    return await sync_to_async(_store)(access, prepared.exchange, result, said_at)


def _gated(access: Access, exchange: Exchange) -> GateReason | None:
    with turn_of(access.space, exchange.user_message):
        return gate_of(exchange)


@dataclass(frozen=True)
class _Prepared:
    """An exchange ready to assess: with its secrets masked, the part of it that is assessed, and
    the model to ask, or the result if no model is asked.
    """

    exchange: Exchange
    assessed: Exchange
    policy: PolicyDocument
    chosen: ChosenModel | None
    earlier: list[str]
    result: AssessmentResult | None


def _prepared(access: Access, exchange: Exchange, said_at: datetime) -> _Prepared:
    """Prepare the exchange, and assess it already if no model is asked.

    Releases the database connection first. Raises RateLimited, SpaceBusy and AssessmentError.
    """
    document, now = current_policy(access.space).document, timezone.now()
    chosen = chosen_model(Purpose.ASSESS, access.space)
    built_in = is_built_in(exchange, document, has_model=chosen is not None)
    count_call(access, CallKind.SEARCH if built_in else CallKind.ASSESS, now=now)
    earlier = earlier_texts(exchange, access.space, before=said_at)
    release_connection()
    texts = (exchange.user_message, exchange.assistant_response, *texts_of(exchange.context))
    with turn_of(access.space, *texts):
        if document.assessment.mask_secrets:
            exchange = mask_exchange(exchange)
        assessed, result = assessed_part(exchange), None
        if built_in:
            rubric = exchange.rubric or document.assessment.rubric
            result = assess_locally(assessed, rubric, earlier)
    return _Prepared(exchange, assessed, document, chosen, earlier, result)


def _store(
    access: Access, exchange: Exchange, result: AssessmentResult, said_at: datetime
) -> dict[str, Any]:
    now = timezone.now()
    assessment = services.store_assessed(
        space=access.space, exchange=exchange, result=result, now=now, said_at=said_at
    )
    decay = current_policy(access.space).document.decay
    memories = Memory.objects.in_space(access.space).with_importance_now(decay=decay, now=now)
    found = memories.in_bulk([memory.pk for memory in assessment.memories])
    return _told(assessment, [found[memory.pk] for memory in assessment.memories])


def _told(assessment: Assessment, memories: Sequence[Memory] = ()) -> dict[str, Any]:
    first = next(iter(memories), None)
    return {"assessment": assessment, "memory": first, "memories": list(memories)}


@router.post(
    "assessments",
    response={202: QueuedOut},
    url_name="assessments_create",
    operation_id="queueAssessment",
)
def queue_assessment(
    request: HttpRequest,
    response: HttpResponse,
    asked: ExchangeIn,
    idempotency_key: OnceOnly = None,
) -> Status[dict[str, Any]]:
    """Queue an exchange for assessment.

    The exchange is stored at once and assessed exactly once: by the built-in assessor before the
    response, by a connected model later. An exchange without a person's own words is ignored; the
    header `X-Ebb-Gate` has the reason.
    """
    access = access_to(request, "write", asked.user_id)
    exchange, now = asked.exchange(access), database_now()
    said_at = access.said(asked.created_at, now=now, zone=asked.timezone)
    with turn_of(access.space, exchange.user_message):
        if gated := gate_of(exchange):
            response.headers[GATE_HEADER] = gated
        assessment = services.queue_assessment(
            space=access.space,
            exchange=exchange,
            now=now,
            said_at=said_at,
            idempotency_key=key_of(idempotency_key, access.reader),
            learns=access.learns,
        )
    return Status(202, {"id": assessment.pk, "status": _one(access, str(assessment.pk)).state})


@router.get(
    "assessments",
    response=AssessmentList,
    url_name="assessments_list",
    operation_id="listAssessments",
)
def list_assessments(request: HttpRequest, asked: Query[AssessmentListIn]) -> dict[str, Any]:
    """List the space's assessments, newest first."""
    access = access_to(request, "read")
    rows = Assessment.objects.in_space(access.space).readable_by(access.reader)
    rows = rows.prefetch_related(lessons_of(access.space))
    if asked.status:
        rows = rows.filter(state=asked.status)
    items, following = keyset("-created_at").page(rows, limit=asked.limit, cursor=asked.cursor)
    return {"items": items, "next": following}


def _one(access: Access, reference: str) -> Assessment:
    rows = Assessment.objects.in_space(access.space).readable_by(access.reader)
    found = rows.filter(pk=parse_uuid(reference)).first()
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
    check_change(access.reader, assessment)
    services.retry(space=access.space, assessment_id=assessment.pk, now=database_now())
    return Status(202, {"id": assessment.pk, "status": _one(access, id).state})


@router.get(
    "stats", response=StatsOut, url_name="stats", operation_id="getStats", tags=["memories"]
)
def get_stats(request: HttpRequest) -> StatsOut:
    """Return the space's statistics: active memories, daily changes and waiting assessments."""
    access = access_to(request, "read")
    now = access.here(timezone.now())
    asked: dict[str, Any] = {"space": access.space, "reader": access.reader, "now": now}
    found = overview(**asked)
    rows = Assessment.objects.in_space(access.space).readable_by(access.reader)
    return StatsOut.model_validate(
        {
            **vars(found),
            "days": came_and_went(**asked),
            "assessments": rows.counted_by_state(),
        }
    )
